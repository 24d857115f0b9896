"""Which kind of column a survey finds, and the features it becomes."""

import datetime as dt
import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from hinge import DataError
from hinge.io import Table
from hinge.tables import (
    BooleanColumn,
    CategoryColumn,
    DateColumn,
    IdColumn,
    Ignored,
    NumberColumn,
    NumberFormat,
    Survey,
    TextColumn,
)
from hinge.tables._dates import parse_date
from hinge.tables._numbers import FORMATS, NumberSurvey
from hinge.tables._prepared import _to_array


def table(**columns):
    arrays = {name: np.array(values, dtype=object) for name, values in columns.items()}
    return Table(arrays, range(2, 2 + len(next(iter(arrays.values())))), named=True)


def surveyed(*chunks, unknown="error", **options):
    survey = Survey(label="y", **options)
    for chunk in chunks:
        survey.add(chunk)
    return survey, survey.preparation(scale="none", unknown=unknown)


def column(values, *more, **options):
    """Return the column that values become; more values come in further chunks."""
    chunks = [table(x=part, z=["1"] * len(part), y=["a"] * len(part)) for part in (values, *more)]
    return surveyed(*chunks, **options)[1].columns[0]


class TestNumbers:
    @pytest.mark.parametrize(
        ("values", "expected", "style"),
        [
            (["1,234.5", "7"], [1234.5, 7], NumberFormat(".", ",")),
            (["1.234,5", "7"], [1234.5, 7], NumberFormat(",", ".")),
            (["3,5", "-0,25"], [3.5, -0.25], NumberFormat(",")),
            (["1 234 567", "1 234,5"], [1234567, 1234.5], NumberFormat(",", " ")),
            (["1'234.50", "2"], [1234.5, 2], NumberFormat(".", "'")),
            (["1\u202f234,5", "\u22123"], [1234.5, -3], NumberFormat(",", " ")),
            (["12 %", "7%"], [12, 7], NumberFormat(unit="%")),
            (["$1,200.00", "-$3", "$ 5"], [1200, -3, 5], NumberFormat(".", ",", "$")),
            (["1.200,00 €", "5 €"], [1200, 5], NumberFormat(",", ".", "€")),
            (["EUR 5", "6 EUR", "7"], [5, 6, 7], NumberFormat(unit="EUR")),
            (["170 cm", "165cm", "k.A."], [170, 165, 167.5], NumberFormat(unit="cm")),
            (["3 g", "-1,5 g"], [3, -1.5], NumberFormat(",", unit="g")),
            (["(5)", "5"], [-5, 5], NumberFormat()),
            (["₹ 12,34,567.50", "₹ 1,234", "₹ 7"], [1234567.5, 1234, 7], NumberFormat(".", ",", "₹")),
            (["Rs. 1,23,456", "99,999"], [123456, 99999], NumberFormat(".", ",", "Rs")),
            (["1e3", "1.5"], [1000, 1.5], NumberFormat()),
        ],
    )
    def test_as_people_write_them(self, values, expected, style):
        chunk = table(x=values, y=["a"] * len(values))
        _, preparation = surveyed(chunk, missing="fill")
        assert preparation.columns[0].style == style
        assert preparation.features(chunk)[:, 0].tolist() == expected

    def test_names_that_look_like_measures(self):
        assert isinstance(column(["3G", "4G", "5G"] * 8), CategoryColumn)
        with pytest.raises(DataError, match="amounts in kg and g"):
            column(["5 kg", "300 g"] * 8)

    @pytest.mark.parametrize("style", FORMATS, ids=str)
    def test_any_format_is_found_from_its_own_writing(self, style):
        random = np.random.default_rng(0)
        truth = np.round(random.lognormal(5, 3, 300), 2)
        swap = str.maketrans({",": style.thousands, ".": style.decimal})
        grouped = "," if style.thousands else ""
        values = [f"{value:{grouped}.2f}".translate(swap) for value in truth]
        found = column(values[:50], values[50:])
        assert found.style == style
        np.testing.assert_allclose(style.parse_all(np.array(values, dtype=object)), truth)
        assert found.mean == pytest.approx(truth.mean())

    def test_later_rows_decide_what_earlier_ones_mean(self):
        found = column(["1.234", "5.678"], ["1.234,5"])
        assert found.style == NumberFormat(",", ".")
        assert found.mean == pytest.approx((1234 + 5678 + 1234.5) / 3)

    def test_other_columns_decide_where_one_leaves_a_choice(self):
        chunk = table(price=["1,234", "5,678"], weight=["3,5", "1,25"], y=["a", "b"])
        assert surveyed(chunk)[1].features(chunk)[0].tolist() == [1.234, 3.5]
        alone = table(price=["1,234", "5,678"], y=["a", "b"])
        survey, preparation = surveyed(alone)
        assert preparation.features(alone)[0].tolist() == [1234]
        assert "'price' is read as numbers like 1,234.5; --decimal" in survey.notes[0]
        assert surveyed(alone, decimal=",")[1].features(alone)[0].tolist() == [1.234]

    def test_points_are_decimal_unless_proved_otherwise(self):
        assert column(["1.234", "0.001"]).style == NumberFormat()
        assert column(["1.234", "5.678"]).style == NumberFormat()

    @pytest.mark.parametrize("text", ["1,23,4", "1.2.3", "12,3,567", "1 2", "--5", "€5€", "1_000", "(5", "5)", "0x1F"])
    def test_what_is_no_number(self, text):
        assert all(style.parse(text) is None for style in FORMATS)

    def test_two_currencies_are_not_compared(self):
        with pytest.raises(DataError, match=r"'x' must hold either numbers .* \(amounts in \$ and €\)"):
            column(["$5", "€6", "$7"])

    def test_new_rows_must_have_the_format(self):
        chunk = table(x=["3,5", "1,25"], y=["a", "b"])
        with pytest.raises(DataError, match=r"'x' must hold numbers like 1234,5, got '1.5' in line 3"):
            surveyed(chunk)[1].features(table(x=["1,5", "1.5"]))

    def test_statistics_are_those_of_the_format_chosen(self):
        survey = NumberSurvey()
        for part in (["1.500", "2.500"], ["3.000"], ["4.000,5"]):
            survey.add(np.array(part, dtype=object))
        _, statistics = survey.choose()
        assert statistics.mean[0] == pytest.approx(np.mean([1500, 2500, 3000, 4000.5]))
        assert statistics.deviation[0] == pytest.approx(np.std([1500, 2500, 3000, 4000.5]))
        assert statistics.low[0] == 1500


class TestDates:
    @pytest.mark.parametrize(
        ("pattern", "order"),
        [
            ("%Y-%m-%d", "year-month-day"),
            ("%Y/%m/%d", "year-month-day"),
            ("%d.%m.%Y", "day-month-year"),
            ("%d/%m/%Y", "day-month-year"),
            ("%m/%d/%Y", "month-day-year"),
            ("%m/%d/%y", "month-day-year"),
            ("%d-%b-%Y", "day-name-year"),
            ("%d %B %Y", "day-name-year"),
            ("%B %d, %Y", "name-day-year"),
            ("%Y-%m-%dT%H:%M:%SZ", "year-month-day"),
            ("%Y-%m-%d %H:%M:%S.%f", "year-month-day"),
            ("%m/%d/%Y %I:%M %p", "month-day-year"),
            ("%d/%b/%Y:%H:%M:%S +0000", "day-name-year"),
            ("%a, %d %b %Y %H:%M:%S GMT", "day-name-year"),
            ("%a %b %d %H:%M:%S %Y", "name-day-time-year"),
            ("%Y%m%d", "yearmonthday"),
        ],
    )
    def test_orders(self, pattern, order):
        start = dt.datetime(1999, 12, 25, 23, 30)  # noqa: DTZ001
        moments = [start + dt.timedelta(days=17 * step, hours=5 * step) for step in range(60)]
        texts = [moment.strftime(pattern) for moment in moments]
        found = column(texts)
        assert isinstance(found, DateColumn)
        assert (found.order, found.has_time) == (order, "H" in pattern or "I" in pattern)
        for text in texts:
            truth = dt.datetime.strptime(text, pattern) - dt.datetime(1970, 1, 1)  # noqa: DTZ001, DTZ007
            assert parse_date(text, order)[0] == pytest.approx(truth.total_seconds() // 1 / 86400)

    def test_zones_are_taken_into_account(self):
        assert parse_date("2024-01-01T02:00+02:00", "year-month-day") == parse_date(
            "2024-01-01 00:00Z", "year-month-day"
        )
        assert parse_date("2024-01-01T02:00-0530", "year-month-day") == parse_date(
            "2024-01-01T07:30Z", "year-month-day"
        )

    def test_features_are_years_and_circles(self):
        chunk = table(x=["2024-01-01", "2024-12-31", "2024-07-01"], y=["a", "b", "a"])
        _, preparation = surveyed(chunk)
        X = preparation.features(chunk)
        assert preparation.feature_names[:2] == ["x: years", "x: day of year sine"]
        np.testing.assert_allclose(X[:, 0], [0, 365 / 365.2425, 182 / 365.2425])
        np.testing.assert_allclose(np.hypot(X[:, 1], X[:, 2]), 1)
        distance = np.linalg.norm(X[:, None, 1:3] - X[None, :, 1:3], axis=2)
        assert distance[0, 1] < 0.05  # the year is round
        assert distance[0, 2] > 1.9
        monday = preparation.features(table(x=["2024-01-01", "2024-01-08", "2024-01-04"]))[:, 3:5]
        np.testing.assert_allclose(monday[0], monday[1], atol=1e-9)
        np.testing.assert_allclose(monday[0], [0, 1], atol=1e-9)

    def test_a_choice_of_day_and_month(self):
        chunk = table(x=["01/02/2024", "03/04/2024"], y=["a", "b"])
        survey, preparation = surveyed(chunk)
        assert preparation.columns[0].order == "month-day-year"
        assert "read as month-day-year; --day-first" in survey.notes[0]
        assert surveyed(chunk, day_first=True)[1].columns[0].order == "day-month-year"
        assert column(["01/02/2024"], ["25/04/2024"]).order == "day-month-year"

    @pytest.mark.parametrize(
        ("text", "order", "expected"),
        [
            ("3 févr. 2023", "day-name-year", "2023-02-03"),
            ("1er août 2023", "day-name-year", "2023-08-01"),
            ("3 de marzo de 2023", "day-name-year", "2023-03-03"),
            ("15 dic 2023", "day-name-year", "2023-12-15"),
            ("Sunday, March 3rd, 2024", "name-day-year", "2024-03-03"),
            ("2024-03", "year-month", "2024-03-01"),
            ("Mär 2024", "name-year", "2024-03-01"),
            ("Jan-24", "name-year", "2024-01-01"),
        ],
    )
    def test_names_of_months(self, text, order, expected):
        assert parse_date(text, order) == parse_date(expected, "year-month-day")

    def test_iso_dates_may_be_mixed_in(self):
        found = column(["2024-01-05", "2024-02-03"], ["31/12/2024", "2023-01-01"])
        assert (found.order, found.origin) == ("day-month-year", column(["2024-01-05"]).origin)
        assert isinstance(column(["31/12/2024", "12/31/2024"]), CategoryColumn)

    def test_times_without_a_date(self):
        chunk = table(x=["00:00", "18:30", "23:59"], y=["a", "b", "a"])
        _, preparation = surveyed(chunk)
        X = preparation.features(chunk)
        assert preparation.feature_names == ["x: hours", "x: time of day sine", "x: time of day cosine"]
        np.testing.assert_allclose(X[:, 0], [0, 18.5, 24 - 1 / 60])
        assert np.linalg.norm(X[0, 1:] - X[2, 1:]) < 0.01
        assert isinstance(column(["12:00", "24:30"]), CategoryColumn)

    def test_dates_of_less_than_a_year_have_no_season(self):
        chunk = table(x=["2024-01-01 10:00", "2024-06-30 11:00"], y=["a", "b"])
        _, preparation = surveyed(chunk)
        assert [name.split(": ")[1] for name in preparation.feature_names] == [
            *("years", "weekday sine", "weekday cosine", "time of day sine", "time of day cosine")
        ]
        assert preparation.features(chunk).shape == (2, 5)

    def test_numbers_that_are_dates_are_said(self):
        days = [f"2024{month:02d}{day:02d}" for month in (1, 2, 12) for day in range(10, 20)]
        survey, _ = surveyed(table(x=days, z=["1", "2"] * 15, y=["a", "b"] * 15))
        assert "Column 'x' is read as dates, year, month and day; --kind says otherwise." in survey.notes
        assert isinstance(column([*days, "20241301"]), NumberColumn)

    def test_missing_dates(self):
        chunk = table(x=["2024-01-01", "", "2026-01-01"], y=["a", "b", "a"])
        with pytest.raises(DataError, match="'x' has no value in line 3"):
            surveyed(chunk)
        X = surveyed(chunk, missing="fill")[1].features(chunk)
        assert X[1, 0] == pytest.approx(X[[0, 2], 0].mean())
        assert X[1, 1:].tolist() == [0, 0, 0, 0]

    def test_invalid_dates(self):
        _, preparation = surveyed(table(x=["2024-01-01", "2024-02-01"], y=["a", "b"]))
        with pytest.raises(DataError, match=r"'x' must hold dates \(year-month-day\), got '2024-02-30' in line 2"):
            preparation.features(table(x=["2024-02-30"]))
        assert isinstance(column(["2024-01-01", "soon"]), CategoryColumn)

    def test_data_frames_have_dates(self):
        days = pd.Series(pd.to_datetime(["2024-01-01 12:00", None, "2024-01-03 00:00"]))
        assert _to_array(days).tolist() == ["2024-01-01T12:00:00", "NaT", "2024-01-03T00:00:00"]
        found = column(list(_to_array(days)), missing="fill")
        assert (type(found), found.has_time) == (DateColumn, True)


class TestText:
    PLACES = ("mat", "roof", "chair", "table", "sofa", "tree", "car")
    PAIRS = tuple(itertools.product(("cat", "dog", "old owl"), PLACES)) * 2
    SENTENCES = tuple(f"the {animal} sat on the {place} for {n} days" for n, (animal, place) in enumerate(PAIRS))

    def test_agrees_with_scikit_learn(self):
        chunk = table(x=self.SENTENCES, y=["a"] * len(self.SENTENCES))
        _, preparation = surveyed(chunk)
        found = preparation.columns[0]
        assert isinstance(found, TextColumn)
        assert "cat" in found.words
        assert "the" not in found.words  # in every row
        peer = TfidfVectorizer(vocabulary=list(found.words)).fit(self.SENTENCES)
        new = [*self.SENTENCES, "A cat, a CAT and another dog", "nothing known"]
        expected = peer.transform(new).toarray()
        np.testing.assert_allclose(preparation.features(table(x=new)), expected, atol=1e-12)

    def test_words_of_all_chunks_count(self):
        half = len(self.SENTENCES) // 2
        assert column(self.SENTENCES[:half], self.SENTENCES[half:]) == column(self.SENTENCES)

    def test_missing_texts_have_no_words(self):
        chunk = table(x=[*self.SENTENCES, ""], y=["a"] * (len(self.SENTENCES) + 1))
        _, preparation = surveyed(chunk)
        assert not preparation.features(chunk)[-1].any()

    def test_many_categories_become_words(self):
        cities = [f"city{number // 2}" for number in range(2400)]
        found = column(cities)
        assert (type(found), found.width) == (TextColumn, 500)


class TestIds:
    @pytest.mark.parametrize(
        "values",
        [
            [f"A{number:05d}" for number in range(100)],
            [str(number) for number in range(1, 101)],
            [f"Smith {number}, John" for number in range(100)],
            [f"R_{number:08x}-11ee-be56-{number:012x}" for number in range(100)],
            [f"+49 30 {1234567 + 891 * number}" for number in range(100)],
            [f"user{number}@mail.org" for number in range(100)],
        ],
    )
    def test_are_left_out_with_a_note(self, values):
        chunk = table(x=values, z=["1", "2"] * 50, y=["a", "b"] * 50)
        survey, preparation = surveyed(chunk)
        assert isinstance(preparation.columns[0], IdColumn)
        assert preparation.features(chunk).shape == (100, 1)
        assert "only name or number the rows: 'x'" in survey.notes[0]
        assert preparation.features(table(z=["1"])).tolist() == [[1]]  # new rows need none

    def test_numbers_need_a_name_or_to_count(self):
        values = [str(number) for number in np.random.default_rng(0).permutation(1000)[:200]]
        labels = ["a"] * 200
        chunk = table(customer_id=values, width=values, KundenNr=values, account_number=values, y=labels)
        kinds = [type(found) for found in surveyed(chunk)[1].columns]
        assert kinds == [IdColumn, NumberColumn, IdColumn, IdColumn]
        repeated = table(customer_id=["5", "5", *values[2:]], y=labels)
        assert isinstance(surveyed(repeated)[1].columns[0], NumberColumn)

    def test_counting_across_chunks(self):
        assert isinstance(column([str(n) for n in range(50)], [str(n) for n in range(50, 90)]), IdColumn)
        assert isinstance(column([str(n) for n in range(50)], [str(n) for n in range(60, 90)]), NumberColumn)

    def test_the_user_knows_better(self):
        values = [f"A{number:05d}" for number in range(100)]
        assert isinstance(column(values, kinds={"x": "category"}), CategoryColumn)
        assert isinstance(column(["1", "2"], kinds={"x": "id"}), IdColumn)


class TestBooleans:
    @pytest.mark.parametrize("words", [("yes", "no"), ("True", "False"), ("Y", "N"), ("ja", "nein"), ("ON", "off")])
    def test_one_feature(self, words):
        chunk = table(x=[words[0], words[1].upper(), words[0]], y=["a", "b", "a"])
        _, preparation = surveyed(chunk)
        assert isinstance(preparation.columns[0], BooleanColumn)
        assert preparation.features(chunk).tolist() == [[1], [0], [1]]

    def test_other_words(self):
        assert isinstance(column(["yes", "perhaps"]), CategoryColumn)
        assert isinstance(column(["yes", "yes"]), CategoryColumn)

    def test_missing_and_unknown_words_have_the_share_of_yes(self):
        chunk = table(x=["yes", "no", "no", "no", ""], y=["a"] * 5)
        _, preparation = surveyed(chunk, missing="fill", unknown="ignore")
        ignored = Ignored()
        assert preparation.features(table(x=["", "maybe"]), ignored).tolist() == [[0.25], [0.25]]
        assert ignored.counts == {"x": 1}
        with pytest.raises(DataError, match="'x' must hold 'yes' or 'no', got 'maybe' in line 2"):
            surveyed(chunk, missing="fill")[1].features(table(x=["maybe"]))


def test_unknown_values_are_counted():
    _, preparation = surveyed(table(x=["red", "blue"], y=["a", "b"]), unknown="ignore")
    ignored = Ignored()
    for texts in (["red", "green"], ["pink", "pink"]):
        preparation.features(table(x=texts), ignored)
    assert ignored.counts == {"x": 3}
    assert "3 in column 'x' (first 'green' in line 3)" in ignored.describe()
    assert Ignored().describe() == ""


def test_all_problems_are_reported_at_once():
    chunk = table(
        age=["1", "", "3", "old"], size=["1", "2", "inf", "4"], city=["Rome", "", "?", "Oslo"], y=["a", "", "b", "a"]
    )
    survey = Survey(label="y")
    survey.problems.append("rows.csv, line 9 has 3 fields; 4 expected, as in the first row.")
    survey.add(chunk)
    with pytest.raises(DataError) as caught:
        survey.preparation()
    lines = str(caught.value).splitlines()
    assert lines[0] == "The rows have 5 problems:"
    expected = [
        "line 9 has 3 fields",
        "line 3 has none",
        "'age' has no value in line 3, column 'city' has no value in line 3 (and 1 more row)",
        "'age' must hold either numbers or categories, got 'old' in line 5",
        "infinity in line 4",
    ]
    for words, line in zip(expected, lines[1:], strict=True):
        assert words in line


class TestMixedDates:
    def test_days_and_months_first(self):
        mixed = ["13/01/2024", "01/02/2024", "02/25/2024", "03/04/2024"]
        survey, preparation = surveyed(table(x=mixed, z=["1"] * 4, y=["a", "b"] * 2))
        assert isinstance(preparation.columns[0], CategoryColumn)
        (note,) = survey.notes
        assert note == (
            "Column 'x' is not read as dates, since it mixes days before months ('13/01/2024' in line 2) and months "
            "before days ('02/25/2024' in line 4); write all in one way."
        )
        chunks = [table(x=[text], z=["1"], y=["a"]) for text in mixed]
        with pytest.raises(DataError, match=r"mixes dates: days before months .'13/01/2024' in line 2. and months"):
            surveyed(*chunks, kinds={"x": "date"})

    @pytest.mark.parametrize(
        "values", [["13/01/2024", "02/01/2024"], ["13/01/2024", "01/25/2024", "soon"], ["13/1/24 5", "31/31/2024"]]
    )
    def test_others(self, values):
        survey, _ = surveyed(table(x=values, z=["1"] * len(values), y=["a"] * len(values)))
        assert not any("mixes" in note for note in survey.notes)
