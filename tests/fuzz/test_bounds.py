"""Files that claim more than they hold, or hold more than fits in memory: one sentence, and little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest

import hinge
from fuzz._corpus import inputs
from fuzz._model_damage import split, with_table
from fuzz._outcome import bounded_memory, require_sentence
from hinge.datasets import read
from hinge.export import from_libsvm
from hinge.io import _delimited, _npy, open_source
from hinge.tables import PreparedClassifier, Survey

MB = 1 << 20
COMPRESSORS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
LIBSVM = (
    "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 {}\n-1 1:1\n"
)

# Run commands in forked processes with little memory; forks share the loaded libraries, which take seconds to load.
LIMITED = """
import json, os, resource, sys
import hinge.cli._app, hinge.cli._evaluate, hinge.cli._export, hinge.cli._info, hinge.cli._predict, hinge.cli.train
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (800 << 20), -1))
for number, command in enumerate(json.loads(sys.argv[1])):
    if not (child := os.fork()):
        sys.argv = ["hinge", *command]
        os.dup2(os.open(f"{number}.err", os.O_WRONLY | os.O_CREAT), 2)
        sys.exit(hinge.cli.main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def refused(path, message, reader=read, **options):
    """Check that reading a file is refused in one sentence, without taking much memory."""
    with bounded_memory(), pytest.raises(hinge.HingeError, match=message) as caught:
        reader(path, **options)
    require_sentence(str(caught.value))


def written(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (2**26 + 1, "Features must be numbered up to 67,108,864"),
        (2**31 - 2, "Features must be numbered up to 67,108,864"),
        (2**31 - 1, "indices of at most 2147483646"),
        (10**18, "indices of at most 2147483646"),
        (2**63, "indices of at most 2147483646"),
        (10**4000, "indices of at most 2147483646"),
    ],
)
def test_svmlight_indices(tmp_path, index, message):
    refused(written(tmp_path / "a.svm", b"1 1:1\n0 %d:1\n" % index), message)


@pytest.mark.parametrize("index", [2**24 + 1, 2**31 - 1, 2**31, 10**18])
def test_libsvm_indices(tmp_path, index):
    path = written(tmp_path / "a.model", LIBSVM.format(f"{index}:1").encode())
    refused(path, "is not a LIBSVM model that can be read", from_libsvm)


@pytest.mark.parametrize(("word", "number"), [("total_sv", 2**62), ("nr_class", 2**40), ("nr_class", 10**17)])
def test_libsvm_counts(tmp_path, word, number):
    text = LIBSVM.format("2:1").replace(f"{word} 2", f"{word} {number}")
    refused(written(tmp_path / "a.model", text.encode()), "is not a LIBSVM model that can be read", from_libsvm)


@pytest.mark.parametrize(("name", "suffix"), [("a.svm", ".gz"), ("a.csv", ".bz2"), ("a", ".xz")])
def test_endless_compressed_lines(tmp_path, name, suffix):
    """Many small compressed streams form one line."""
    data = COMPRESSORS[suffix](b"a" * MB) * 20
    refused(written(tmp_path / (name + suffix), data), "line 1 has more than 16 MB")


def test_xz_file_that_needs_gigabytes_to_decompress(tmp_path):
    packed = bytearray(lzma.compress(b"1 1:1\n0 1:2\n", preset=0))
    start, length = 12, 4 * (packed[12] + 1)  # of the header of the first block
    packed[start + 4] = 40  # 4 GB of dictionary
    packed[start + length - 4 : start + length] = zlib.crc32(packed[start : start + length - 4]).to_bytes(4, "little")
    refused(written(tmp_path / "a.svm.xz", packed), "needs more than 256 MB to be decompressed")


def test_too_many_columns(tmp_path):
    data = gzip.compress(b"," * (_delimited.MAX_COLUMNS + 5) + b"\n1\n")
    refused(written(tmp_path / "a.csv.gz", data), "columns; at most 65536 can be read")


def test_endless_quoted_record(tmp_path, monkeypatch):
    """Quotation marks around line ends make one record of any number of lines."""
    monkeypatch.setattr(_delimited, "LINE_BYTES", 10_000)
    path = written(tmp_path / "a.csv", b'"a\n",' * 5000)
    refused(path, "has a record of more than 0 MB; is a quotation mark missing")
    written(path, b'a,"b\n"\n1,"\n"\n' * 5000)
    assert sum(map(len, open_source(path, header=False).chunks())) == 10_000


def test_one_long_label_that_would_widen_all(tmp_path):
    path = written(tmp_path / "a.csv", b"a,label\n" + b"1,x\n" * 4000 + b"1," + b"y" * 130_000 + b"\n")
    refused(path, "at most 256 characters, got one of 130000 in line 4002")


def npz(path, compression=zipfile.ZIP_DEFLATED, **arrays):
    with zipfile.ZipFile(path, "w", compression=compression) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            if isinstance(array, bytes):
                content.write(array)
            else:
                np.save(content, array)
            archive.writestr(f"{name}.npy", content.getvalue())
    return path


def header(shape, descr="<f8", order="False"):
    """Return an array without a single entry."""
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": header("(1000000000000000, 0)")}, "rows of at least one number"),
        ({"X": header("(0x" + "f" * 5000 + ", 1)")}, "or too many"),
        ({"X": header("(4611686018427387904, 4611686018427387904)")}, "where its shape asks for"),
        ({"X": header("(3, 1073741824)", order="True")}, "where its shape asks for"),
        ({"X": np.ones((2, 1)), "y": header("(2,)", "<U0")}, "entries of no size"),
        ({"X": np.ones((2, 1)), "y": np.array(["a" * 5000, "b"])}, "labels of at most 4096 bytes"),
        ({"X": header("((2, 2")}, "its header cannot be read"),
    ],
)
def test_npz_headers_that_claim_too_much(tmp_path, arrays, message):
    refused(npz(tmp_path / "a.npz", **arrays), message)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_npz_with_unusual_compression(tmp_path, packing):
    refused(npz(tmp_path / "a.npz", packing, X=np.ones((2, 1))), "must be compressed as NumPy does")


def test_column_order_that_decompresses_to_far_more(tmp_path, monkeypatch):
    monkeypatch.setattr(_npy, "_MAX_BYTES_AT_ONCE", MB)
    X = np.asfortranarray(np.zeros((200_000, 2)))
    refused(npz(tmp_path / "a.npz", X=X), "in column order and decompresses to 3 MB")
    plain = npz(tmp_path / "b.npz", zipfile.ZIP_STORED, X=X, y=np.arange(len(X)) % 2)
    assert sum(map(len, open_source(plain).chunks())) == len(X)  # the file is as large as its contents


def test_repeated_parquet_texts(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    codes = pyarrow.array(np.zeros(20_000, dtype=np.int32))
    texts = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["x" * 500_000]))
    parquet.write_table(pyarrow.table({"a": texts, "y": codes}), path, store_schema=False)
    refused(path, "has more than 256 MB of text in 4096 rows")


def claims(content, name, size):
    """Return a model file that says an array is of another size."""
    table, rest = split(content)
    entry = table[name]
    entry["shape"] = [size, *entry["shape"][1:]]
    width = {"F64": 8, "I64": 8, "F32": 4, "I32": 4}[entry["dtype"]]
    entry["data_offsets"][1] = entry["data_offsets"][0] + int(np.prod(entry["shape"], dtype=object)) * width
    return table, rest


@pytest.mark.parametrize("name", ["values", "alpha", "members", "member_counts"])
@pytest.mark.parametrize("size", [10**6, 2**31, 2**61, 2**63])
def test_missing_arrays_of_a_model_file(tmp_path, name, size):
    table, rest = claims(inputs("model")["valid-online.hinge"], name, size)
    refused(written(tmp_path / "a.hinge", with_table(json.dumps(table), rest)), "is damaged", hinge.load)


@pytest.mark.parametrize("sparse", [True, False])
def test_prepared_model_with_too_many_features(tmp_path, sparse):
    """A number in a small file must not fill the memory when rows are prepared for the model."""
    survey = Survey()
    chunks = list(survey.scan(open_source(written(tmp_path / "a.svm", b"1 1:1 9:2\n0 2:1\n" * 50)).chunks()))
    preparation = survey.preparation(scale="none", dense=False)
    model = hinge.OnlineSVC(kernel="linear").fit(*preparation.examples(chunks[0]))
    hinge.save(PreparedClassifier(model, preparation), tmp_path / "a.hinge")
    table, rest = split((tmp_path / "a.hinge").read_bytes())
    header = json.loads(table["__metadata__"]["hinge"])
    header["model"]["state"]["n_features"] = header["preparation"]["n_features"] = 1 << 26
    header["preparation"]["dense"] = not sparse
    table["__metadata__"]["hinge"] = json.dumps(header)
    claiming = hinge.load(written(tmp_path / "b.hinge", with_table(json.dumps(table), rest)))
    if sparse:
        assert claiming.preparation.features(chunks[0]).shape == (100, 1 << 26)
    else:
        refused(chunks[0], "at most 2048 MB at a time", claiming.preparation.features)


@pytest.fixture(scope="module")
def gigabytes(tmp_path_factory):
    """Lines of a gigabyte, as a sparse file and compressed, and a model file of that size."""
    folder = tmp_path_factory.mktemp("gigabyte")
    with (folder / "plain.csv").open("wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(1 << 30)
    for suffix, pack in COMPRESSORS.items():
        (folder / f"line.svm{suffix}").write_bytes(pack(b"a" * MB) * 1024)
    with gzip.open(folder / "commas.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(1024):
            file.write(b"," * MB)
    hinge.save(hinge.OnlineSVC().fit([[0.0], [1.0]], [0, 1]), folder / "small.hinge")
    with (folder / "huge.hinge").open("wb") as file:
        file.write((folder / "small.hinge").read_bytes())
        file.truncate(1 << 30)
    return folder


def commands(folder, *given, **options):
    """Return exit codes and messages of commands, each limited to 800 MB."""
    program = [sys.executable, "-c", LIMITED, json.dumps(given)]
    run = subprocess.run(program, cwd=folder, stdout=subprocess.PIPE, text=True, check=True, **options)
    messages = [" ".join((folder / f"{number}.err").read_text().split()) for number in range(len(given))]
    return list(zip(map(int, run.stdout.split()), messages, strict=True))


LONG_LINES = [
    ["train", "plain.csv", "--output", "new.hinge", "--no-tune"],
    ["train", "line.svm.gz", "--output", "new.hinge", "--no-tune"],
    ["train", "line.svm.bz2", "--output", "new.hinge", "--no-tune"],
    ["train", "commas.csv.gz", "--output", "new.hinge", "--no-tune"],
    ["predict", "small.hinge", "line.svm.xz"],
    ["predict", "small.hinge", "plain.csv"],
    ["evaluate", "small.hinge", "line.svm.gz"],
]
NOT_MODELS = [
    ["info", "huge.hinge"],
    ["export", "huge.hinge", "-o", "new.onnx"],
    ["predict", "line.svm.gz", "plain.csv"],
]


@pytest.mark.slow
def test_commands_refuse_gigabyte_files(gigabytes):
    for code, message in (outcomes := commands(gigabytes, *LONG_LINES, *NOT_MODELS)):
        assert code == 2, message
        assert "Traceback" not in message
        assert len(message) < 500
    assert all("has more than 16 MB" in message for _, message in outcomes[: len(LONG_LINES)])
    assert all("is damaged or not a model file" in message for _, message in outcomes[len(LONG_LINES) :])
    assert not list(gigabytes.glob("new.*"))


@pytest.mark.slow
def test_endless_line_through_a_pipe(gigabytes):
    """Reading stops once the line is too long."""
    endless = subprocess.Popen(["/usr/bin/yes", "a" * 1000], stdout=subprocess.PIPE)
    joined = subprocess.Popen(["/usr/bin/tr", "-d", r"\n"], stdin=endless.stdout, stdout=subprocess.PIPE)
    [(code, message)] = commands(gigabytes, ["train", "-", "--output", "new.hinge", "--no-tune"], stdin=joined.stdout)
    for process in (joined, endless):
        process.stdout.close()
        process.wait()
    assert code == 2, message
    assert "line 1 has more than 16 MB" in message
