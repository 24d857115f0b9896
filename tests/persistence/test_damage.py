"""Everything a file can claim, and the sentence that refuses it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file
from scipy.sparse import csr_matrix
from sklearn.base import clone

import hinge
from hinge import KernelPerceptron, ModelFileError, OnlineSVC, RobustOnlineSVC, TrackingSVC


def refused(file, complaint):
    with pytest.raises(ModelFileError) as caught:
        hinge.load(file)
    text = str(caught.value)
    assert complaint in text
    assert text.startswith(str(file))
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 800


@pytest.mark.parametrize("length", [0, 7, 8, 100, 3000, -1])
def test_truncated_file(dense, length):
    dense.write_bytes(dense.read_bytes()[:length])
    refused(dense, "is damaged or not a model file")


@pytest.mark.parametrize(
    "content",
    [
        np.random.default_rng(0).bytes(4096),
        b"\xff" * 8 + b"{}",  # a header of 2**64 - 1 bytes
        (1 << 60).to_bytes(8, "little") + b"{}",
        b"\x02" + bytes(7) + b"[]",
        b"\x02" + bytes(7) + b"\xff\xfe",
        b"\x00\x00\x10" + bytes(5) + b"[" * (1 << 20),
        (1 << 24).to_bytes(8, "little") + b" " * (1 << 24),
        b"\x11" + bytes(7) + b'{"a": 1, "a": 2} ',
        b"\x08" + bytes(7) + b'{"a": 1}',
    ],
)
def test_garbage(file, content):
    file.write_bytes(content)
    refused(file, "is damaged or not a model file")


@pytest.mark.parametrize(
    "metadata", [None, {"other": "{}"}, {"hinge": "[]"}, {"hinge": "{}"}, {"hinge": '{"format": 1}'}]
)
def test_other_safetensors_files(file, metadata):
    save_file({"values": np.zeros(3)}, file, metadata)
    refused(file, "is a safetensors file, but not one that hinge wrote.")


@pytest.mark.parametrize("kind", ["float16", "complex64", "uint8", "bool", "uint64"])
def test_other_types_of_numbers(dense, parts, rewrite, kind):
    arrays, header = parts(dense)
    rewrite(dense, arrays | {"alpha": arrays["alpha"].astype(kind)}, header)
    refused(dense, "the array 'alpha' holds numbers of a type that no model has")


def test_bfloat16(dense):
    content = dense.read_bytes()
    length = int.from_bytes(content[:8], "little")
    table = content[8 : 8 + length].replace(b'"F64"', b'"BF16"')
    dense.write_bytes(len(table).to_bytes(8, "little") + table + content[8 + length :])
    refused(dense, "holds numbers of a type that no model has")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: "{", "its header is not JSON"),
        (lambda text: "[" * 100_000, "nested too deeply"),
        (lambda text: text.replace('{"format"', '{"format": "hinge", "format"'), "has a key twice"),
        (lambda text: text.replace('"C": 1.0', '"C": NaN'), "holds NaN, which is not a number"),
        (lambda text: text.replace('"C": 1.0', '"C": ' + "9" * 5000), "is not JSON"),
        (
            lambda text: text.replace('"version": 2', '"version": 1'),
            "has version 1 of the model format; this hinge reads",
        ),
        (lambda text: text.replace('"version": 2', '"version": true'), "has version True of the model format"),
        (
            lambda text: text.replace('"OnlineSVC"', '"os.system"'),
            "it holds a 'os.system', which this hinge does not know",
        ),
        (lambda text: text.replace('"OnlineSVC"', '"' + "x" * 10**6 + '"'), "which this hinge does not know"),
        (lambda text: text.replace('"OnlineSVC"', "[]"), "it holds a [], which this hinge does not know"),
        (lambda text: text.replace('"feature_names"', '"names"'), "its header has no field 'feature_names'"),
        (lambda text: text[:-1] + ', "more": 1}', "its header has a field 'more', which this version does not know"),
    ],
)
def test_header_texts(dense, parts, rewrite, change, complaint):
    arrays, header = parts(dense)
    text = json.dumps(header)
    assert change(text) != text
    rewrite(dense, arrays, change(text))
    refused(dense, complaint)


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"nonsense": 1}, "OnlineSVC has no parameter 'nonsense'"),
        ({"C": -1}, "C must be a finite number above 0, got -1"),
        ({"C": [1]}, "the parameter 'C' is neither a plain value nor pairs of them"),
        ({"C": "1"}, "C must be a finite number"),
        ({"C": True}, "C must be a finite number"),
        ({"kernel": "rbF"}, "kernel must be one of"),
        ({"kernel": "linear"}, "must stay what they were when learning began"),
        ({"kernel": {"pairs": 1}}, "neither a plain value nor pairs"),
        ({"gamma": 17.0}, "must stay what they were when learning began"),
        ({"gamma": -1.0}, "gamma must be a finite number above 0"),
        ({"gamma": "wide"}, "gamma must be a finite number above 0"),
        ({"degree": 10**9}, "degree must be a whole number of at most 1000"),
        ({"degree": 7}, "must stay what they were when learning began"),
        ({"selection": "xyz"}, "selection must be one of"),
        ({"pool_size": 0}, "pool_size must be a whole number of at least 1"),
        ({"max_support": 1}, "max_support must be a whole number of at least 2"),
        ({"max_support": -4}, "max_support must be a whole number of at least 2"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or"),
        ({"n_jobs": 2**40}, "n_jobs must be at most"),
        ({"cache_size": -1}, "cache_size must be a finite number above 0"),
        ({"tol": 10**400}, "tol must be a finite number above 0"),
        ({"epochs": "converge", "max_support": 5}, "epochs must be 'auto' or a number of passes"),
        ({"random_state": "abc"}, "random_state must be None, a whole number"),
        ({"random_state": -1}, "random_state must be None, a whole number"),
        ({"verbose": 7}, "verbose must be True or False"),
        ({"class_weight": {"pairs": [[0, 1.0], [0, 2.0]]}}, "has a key twice"),
        ({"class_weight": {"pairs": [[0, -1.0]]}}, "class_weight must hold finite numbers of at least 0"),
        ({"class_weight": {"pairs": [[[0], 1.0]]}}, "neither a plain value nor pairs"),
        ({"class_weight": {"pairs": [[0, 1.0, 2.0]]}}, "neither a plain value nor pairs"),
        ({"class_weight": {"0": 1.0}}, "neither a plain value nor pairs"),
    ],
)
def test_parameters(dense, parts, rewrite, parameters, complaint):
    arrays, header = parts(dense)
    rewrite(dense, arrays, header | {"parameters": header["parameters"] | parameters})
    refused(dense, complaint)


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        ({"n_features": -1}, "its number of features is not between 1 and"),
        ({"n_features": 0}, "its number of features is not between 1 and"),
        ({"n_features": 10**12}, "its number of features is not between 1 and"),
        ({"n_features": "6"}, "the field 'n_features' of its state is of the wrong type"),
        ({"n_features": 7}, "values do not match examples and features"),
        ({"sparse": 1}, "the field 'sparse' of its state is of the wrong type"),
        ({"sparse": True}, "it should hold the arrays"),
        ({"dtype": "object"}, "its numbers are neither float32 nor float64"),
        ({"dtype": "float32"}, "is float64 instead of float32"),
        ({"n_seen": -3}, "its number of examples is invalid"),
        ({"n_seen": 2**63}, "its number of examples is invalid"),
        ({"n_seen": 5}, "an id is not that of an example it has seen"),
        ({"n_seen": 120.0}, "the field 'n_seen' of its state is of the wrong type"),
        ({"options": {}}, "its state has a field 'options'"),
        ({"classes": []}, "its class numbers do not match its classes"),
        ({"classes": [0, 1]}, "its class numbers do not match its classes"),
        ({"classes": [0, 2, 1]}, "its classes are not sorted, or repeated"),
        ({"classes": [0, 1, 1]}, "its classes are not sorted, or repeated"),
        ({"classes": [0, 1, "2"]}, "its labels do not match class_type"),
        ({"classes": [0, 1, 2.5]}, "its labels do not match class_type"),
        ({"classes": [False, 1, 2]}, "its labels do not match class_type"),
        ({"classes": [0, 1, 2**70]}, "its labels do not match class_type"),
        ({"classes": [[0], [1], [2]]}, "its labels do not match class_type"),
        ({"class_type": "|i1", "classes": [0, 1, 300]}, "its labels do not match class_type"),
        ({"class_type": "<f8", "classes": [0.0, 1.0, 1e999]}, "JSON"),
        ({"class_type": "<U1", "classes": ["a", "b", "cc"]}, "its labels do not match class_type"),
        ({"class_type": "<U99999999"}, "its labels are of an unknown type"),
        ({"class_type": "i4,i4"}, "its labels are of an unknown type"),
        ({"class_type": "<M8[s]"}, "its labels are of an unknown type"),
        ({"class_type": "<c16"}, "its labels are of an unknown type"),
        ({"class_type": "|O"}, "its labels do not match class_type"),
        ({"class_numbers": [0, 0, 1]}, "its class numbers do not match its classes"),
        ({"class_numbers": [0, 1, 2.0]}, "its class numbers do not match its classes"),
        ({"class_numbers": [False, True, 2]}, "its class numbers do not match its classes"),
        ({"kernel": {}}, "its kernel has no field 'name'"),
        ({"kernel": []}, "the field 'kernel' of its state is of the wrong type"),
    ],
)
def test_states(dense, parts, rewrite, state, complaint):
    arrays, header = parts(dense)
    rewrite(dense, arrays, header | {"state": header["state"] | state})
    refused(dense, complaint)


@pytest.mark.parametrize(
    ("kernel", "complaint"),
    [
        ({"name": "rbF"}, "it has a kernel 'rbF', which this version does not know"),
        ({"name": "callable"}, "it has a kernel 'callable', which this version does not know"),
        ({"name": "linear"}, "must stay what they were when learning began"),
        ({"name": "precomputed"}, "it has seen more examples than it has columns"),
        ({"gamma": -1.0}, "gamma must be a finite number above 0"),
        ({"gamma": 1e999}, "JSON"),
        ({"gamma": "scale"}, "the field 'gamma' of its kernel is of the wrong type"),
        ({"gamma": 1e-324 * 10}, "gamma"),
        ({"coef0": 10**400}, "coef0 must be a finite number"),
        ({"degree": -1}, "degree must be a whole number of at least 0"),
        ({"degree": 3.0}, "the field 'degree' of its kernel is of the wrong type"),
        ({"function": "os.system"}, "its kernel has a field 'function'"),
    ],
)
def test_kernels(dense, parts, rewrite, kernel, complaint):
    arrays, header = parts(dense)
    state = header["state"] | {"kernel": header["state"]["kernel"] | kernel}
    if kernel.get("gamma") == 1e-323:  # float64 can hold it, float32 cannot
        state["dtype"] = "float32"
        complaint = "float32 cannot hold the numbers of its kernel"
    rewrite(dense, arrays, header | {"state": state})
    refused(dense, complaint)


OF_EXAMPLES = ("ids", "labels", "costs", "values")
OF_MEMBERS = ("members", "member_lows", "member_costs", "alpha", "gradient", "lag")


@pytest.mark.parametrize(
    "name", [*OF_EXAMPLES, *OF_MEMBERS, "member_counts", "terms", "seeds", "bracket_ends", "n_steps"]
)
def test_arrays_of_the_wrong_size(dense, parts, rewrite, name):
    arrays, header = parts(dense)
    for wrong in (arrays[name][:-1], np.concatenate([arrays[name]] * 2), arrays[name][:0], arrays[name][None]):
        rewrite(dense, arrays | {name: wrong}, header)
        refused(dense, "is damaged: ")
    other = np.int32 if arrays[name].dtype == np.int64 else np.int64
    rewrite(dense, arrays | {name: arrays[name].astype(other)}, header)
    refused(dense, f"{name} is {np.dtype(other)} instead of")
    del arrays[name]
    rewrite(dense, arrays, header)
    refused(dense, "it should hold the arrays")


def test_mistakes_of_the_wrong_size(dense, parts, rewrite):
    arrays, header = parts(dense)
    rewrite(dense, arrays | {"member_mistakes": arrays["member_mistakes"][:-1]}, header)
    refused(dense, "alpha, gradient, lag and mistakes differ in length")


@pytest.mark.parametrize(
    ("name", "place", "value", "complaint"),
    [
        ("ids", 0, -1, "an id is not that of an example it has seen"),
        ("ids", 0, 120, "an id is not that of an example it has seen"),
        ("ids", 0, "ids 1", "an id is repeated"),
        ("labels", 0, 3, "a label is not the number of a class"),
        ("labels", 0, -1, "a label is not the number of a class"),
        ("costs", 0, -1.0, "a cost is not above zero"),
        ("costs", 0, np.nan, "costs holds numbers that are not finite"),
        ("values", 0, np.inf, "values holds numbers that are not finite"),
        ("values", 0, 1e200, "a feature is so large that its square overflows"),
        ("members", 0, -1, "a member is not the position of an example"),
        ("members", 0, 10**9, "a member is not the position of an example"),
        ("members", 0, "members 1", "a binary model holds an example twice"),
        ("member_counts", 0, -5, "its members do not match their counts"),
        ("member_counts", 0, 2**62, "its members do not match their counts"),
        ("member_lows", 0, -0.5, "a box does not end at zero"),
        ("member_lows", 0, np.nan, "member_lows holds numbers that are not finite"),
        ("lag", 0, np.inf, "lag holds numbers that are not finite"),
        ("member_mistakes", 0, 2, "a number in member_mistakes is neither 0 nor 1"),
        ("terms", 0, -1.0, "an average is over less than one term"),
        ("terms", 0, 1e-320, "an average is over less than one term"),
        ("member_costs", 0, 0.0, "the cost of a member is not above zero"),
        ("member_costs", 0, np.inf, "member_costs holds numbers that are not finite"),
        ("alpha", 0, np.nan, "alpha holds numbers that are not finite"),
        ("alpha", 0, "-alpha 0", "a coefficient is outside its box"),
        ("alpha", 0, "2 alpha 0", "a coefficient is outside its box"),
        ("gradient", 0, -np.inf, "gradient holds numbers that are not finite"),
        ("gradient", 0, 1e306, "a gradient is so large that sums overflow"),
        ("costs", 0, 1e200, "numbers of costs are so large that their sums overflow"),
        ("lag", 0, -1e200, "numbers of lag are so large that their sums overflow"),
        ("n_kernel_evals", 0, -1, "a count in n_kernel_evals is invalid"),
        ("n_steps", 0, -1, "a count in n_steps is invalid"),
        ("shift_chosen", 0, 2, "shift_chosen is neither 0 nor 1"),
        ("seeds", 0, 10**6, "a binary model has begun with more examples than it has seen"),
        ("seeds", 1, -1, "a count in seeds is invalid"),
        ("bracket_ends", 0, -1, "a count in bracket_ends is invalid"),
    ],
)
def test_entries(dense, parts, rewrite, *, name, place, value, complaint):
    arrays, header = parts(dense)
    array = arrays[name].copy().reshape(-1)
    if isinstance(value, str):
        bound = int(np.argmax(np.abs(arrays["alpha"])))
        place = bound if "alpha" in value else place
        value = {"ids 1": array[1], "members 1": array[1], "-alpha 0": -array[bound], "2 alpha 0": 2 * array[bound]}[
            value
        ]
    array[place] = value
    rewrite(dense, arrays | {name: array.reshape(arrays[name].shape)}, header)
    refused(dense, complaint)


@pytest.mark.parametrize("late_models", [[3], [-1], [1, 1], [2, 1]])
def test_late_models(dense, parts, rewrite, late_models):
    arrays, header = parts(dense)
    rewrite(dense, arrays | {"late_models": np.array(late_models)}, header)
    refused(dense, "late_models are not numbers of binary models")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (RobustOnlineSVC(), "visits"),
        (RobustOnlineSVC(), "admitted"),
        (RobustOnlineSVC(), "cleaned"),
        (TrackingSVC(), "visits"),
        (TrackingSVC(), "draws"),
        (KernelPerceptron(), "visits"),
    ],
    ids=str,
)
def test_what_solvers_remember(tmp_path, problem, parts, rewrite, *, model, name):
    file = tmp_path / "model.hinge"
    hinge.save(clone(model).fit(*problem()), file)
    arrays, header = parts(file)
    assert arrays[name].shape[:1] == arrays["member_counts"].shape
    rewrite(file, arrays | {name: -1 - arrays[name]}, header)
    refused(file, f"a count in {name} is invalid")
    rewrite(file, arrays | {name: arrays[name][:-1]}, header)
    refused(file, f"{name} does not match the classes")
    rewrite(file, {other: array for other, array in arrays.items() if other != name}, header)
    refused(file, "it should hold the arrays")


def test_examples_that_nobody_needs(dense, parts, rewrite):
    arrays, header = parts(dense)
    kept = arrays["members"] != 0
    counts = [int(part.sum()) for part in np.split(kept, np.cumsum(arrays["member_counts"])[:-1])]
    smaller = {name: arrays[name][kept] for name in OF_MEMBERS} | {"member_counts": np.array(counts)}
    rewrite(dense, arrays | smaller, header)
    refused(dense, "an example belongs to no binary model")


@pytest.mark.parametrize(
    ("shift", "complaint"),
    [
        (np.zeros(6), "it has a shift that its kernel or its storage does not have"),
        (np.zeros(5), "shift does not match the features"),
        (np.full(6, 1e200), "the shift is so large that its square overflows"),
    ],
)
def test_shifts(dense, parts, rewrite, shift, complaint):
    arrays, header = parts(dense)
    chosen = np.array([not complaint.startswith("it has")], dtype=np.int64)
    rewrite(dense, arrays | {"shift": shift, "shift_chosen": chosen}, header)
    refused(dense, complaint)


@pytest.mark.parametrize(
    ("name", "place", "value", "complaint"),
    [
        ("indices", 0, 99, "an index is not the number of a feature"),
        ("indices", 0, -1, "an index is not the number of a feature"),
        ("indptr", 0, 1, "indptr does not match the examples"),
        ("indptr", 1, 10**6, "indptr does not match the examples"),
        ("indptr", 1, -1, "indptr does not match the examples"),
        ("indptr", -1, 2**62, "indptr does not match the examples"),
        ("data", 0, np.nan, "data holds numbers that are not finite"),
    ],
)
def test_sparse_rows(sparse, parts, rewrite, *, name, place, value, complaint):
    arrays, header = parts(sparse)
    array = arrays[name].copy()
    array[place] = value
    rewrite(sparse, arrays | {name: array}, header)
    refused(sparse, complaint)


@pytest.mark.parametrize("value", [[1, 1], [1, 0]])
def test_order_of_sparse_rows(sparse, parts, rewrite, value):
    arrays, header = parts(sparse)
    array = arrays["indices"].copy()
    first = arrays["indptr"][np.argmax(np.diff(arrays["indptr"]) >= 2)]  # of a row with several indices
    array[first : first + 2] = value
    rewrite(sparse, arrays | {"indices": array}, header)
    refused(sparse, "the indices of a row are not sorted, or repeated")


def test_sparse_kernel_values(sparse, parts, rewrite):
    arrays, header = parts(sparse)
    kernel = header["state"]["kernel"] | {"name": "precomputed"}
    header["parameters"]["kernel"] = "precomputed"
    rewrite(sparse, arrays, header | {"state": header["state"] | {"kernel": kernel}})
    refused(sparse, "a precomputed kernel cannot be sparse")


def test_the_native_code_looks_at_columns_as_well(problem):
    """An id is a place in every row of kernel values: one that is too large would read beyond the end."""
    X, y = problem()
    model = OnlineSVC(kernel="precomputed", C=0.1).fit(X @ X.T, y)
    arrays, values = model._state.to_arrays()
    arrays = arrays | {"ids": arrays["ids"] + 10**12}
    with pytest.raises(ValueError, match="has no column among the kernel values"):
        type(model._state).from_arrays(arrays, values).native  # noqa: B018


@pytest.mark.parametrize("names", [[], ["a"] * 5, [1] * 6, "abcdef", {"a": 1}])
def test_names_of_features(dense, parts, rewrite, names):
    arrays, header = parts(dense)
    rewrite(dense, arrays, header | {"feature_names": names})
    refused(dense, "is damaged: the ")


def test_many_features_of_few_entries_take_no_memory(file, problem, parts, rewrite):
    """The number of features is a claim; what loading takes must depend on what is there."""
    X, y = problem()
    hinge.save(OnlineSVC(kernel="linear").fit(csr_matrix(X), y), file)
    arrays, header = parts(file)
    rewrite(file, arrays, header | {"state": header["state"] | {"n_features": 1 << 26}})
    program = f"""
import hinge, resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = hinge.load({str(file)!r})
model.support_vectors_
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(run.stdout) * (1024 if sys.platform == "linux" else 1) < 50_000_000 < 4 << 26
    rewrite(file, arrays, header | {"state": header["state"] | {"n_features": (1 << 31) - 1}})
    refused(file, "its number of features is not between 1 and 67108864")
