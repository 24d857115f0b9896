"""Options in a TOML file: `--config FILE` reads them, and `--save-config FILE` writes those of a run.

The keys are the names of the options without the hyphens in front; a list is written with commas on the command line.
"""

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from hinge.exceptions import ParameterError, sentence

_NEVER = ("config", "save_config_to", "help")


def _read(ctx: typer.Context, file: Path | None) -> Path | None:
    """Make the values of a file the defaults of the options."""
    if file is None:
        return None
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {file}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"{file} must be a TOML file: {sentence(error)}.") from None
    names = {_key(parameter): parameter for parameter in ctx.command.params if parameter.name not in _NEVER}
    unknown = [key for key in values if key.replace("_", "-") not in names]
    if unknown:
        raise ParameterError(f"{file} must hold options of hinge {ctx.info_name}, got {unknown[0]!r}.")
    found = {}
    for key, value in values.items():
        parameter = names[key.replace("_", "-")]
        is_repeated = getattr(parameter, "multiple", False)
        found[parameter.name or ""] = value if is_repeated or not isinstance(value, list) else ",".join(map(str, value))
    ctx.default_map = {**(ctx.default_map or {}), **found}
    return file


Config = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Read options from a TOML file.", callback=_read, is_eager=True)
]
SaveConfig = Annotated[
    Path | None, typer.Option("--save-config", metavar="FILE", help="Write the options of this run to such a file.")
]


def save_config(ctx: typer.Context, file: Path | None) -> None:
    """Write the options that the user has given, on the command line or in a file."""
    if file is None:
        return
    lines = [
        f"{_key(parameter)} = {_to_toml(ctx.params[parameter.name])}\n"
        for parameter in ctx.command.params
        if parameter.name in ctx.params and parameter.name not in _NEVER and _is_given(ctx, parameter.name)
    ]
    file.write_text("".join(lines), encoding="utf-8")


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return ctx.params[name] is not None and source is not None and source.name != "DEFAULT"


def _key(parameter: Any) -> str:
    """Return the name of an option as users write it.

    Some versions of typer use click and others a copy of it, so that click's types cannot be named here.
    """
    long = [name for name in parameter.opts if name.startswith("--")]
    return str(long[0].removeprefix("--") if long else parameter.name)


def _to_toml(value: object) -> str:
    """Return a value as TOML writes it.

    Examples
    --------
    >>> _to_toml(True), _to_toml(0.5), _to_toml(Path("a.csv")), _to_toml(["zip=id", "b"])
    ('true', '0.5', '"a.csv"', '["zip=id", "b"]')
    """
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_to_toml, value))}]"
    return json.dumps(str(value), ensure_ascii=False)
