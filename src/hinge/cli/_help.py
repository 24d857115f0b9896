"""Help pages with their options in sections."""

from typing import Any

from typer.core import TyperCommand

OTHERS = "Options"  # the section of options that are in no other


class SectionedCommand(TyperCommand):
    """A command whose help page lists options in the sections of `sections`: the parameters of each, by title."""

    sections: dict[str, tuple[str, ...]] = {}  # noqa: RUF012  set once, by `sectioned`

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        titles = {name: title for title, names in self.sections.items() for name in names}
        found: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{title: [] for title in self.sections}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else OTHERS
                found.setdefault(titles.get(parameter.name or "", usual), []).append(record)
        for title, records in found.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def sectioned(sections: dict[str, tuple[str, ...]]) -> type[SectionedCommand]:
    """Return a class of commands with these sections."""
    return type("SectionedCommand", (SectionedCommand,), {"sections": sections})
