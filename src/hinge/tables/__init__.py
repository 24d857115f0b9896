"""Tables as they are in files: how columns become features, and models that keep this preparation with them."""

from hinge.tables._answers import Answers
from hinge.tables._classifier import PreparedClassifier
from hinge.tables._column_survey import KINDS as COLUMN_KINDS
from hinge.tables._columns import BooleanColumn, CategoryColumn, Column, IdColumn, NumberColumn
from hinge.tables._dates import ORDERS as DATE_ORDERS
from hinge.tables._dates import DateColumn
from hinge.tables._detector import PreparedDetector
from hinge.tables._labels import KINDS as LABEL_KINDS
from hinge.tables._labels import Labels
from hinge.tables._numbers import DECIMALS, THOUSANDS, NumberFormat
from hinge.tables._one_class import OneClassPreparation, OneClassSurvey
from hinge.tables._policies import MISSING_POLICIES, SCALINGS, UNKNOWN_POLICIES, check_policies
from hinge.tables._preparation import Examples, Matrix, Preparation, stacked
from hinge.tables._regressor import PreparedRegressor
from hinge.tables._scaling import Scaling
from hinge.tables._survey import MAX_FEATURES, Survey
from hinge.tables._table_model import TableModel
from hinge.tables._table_models import TableClassifier, TableDetector, TableRegressor
from hinge.tables._values import MISSING, Cells, Ignored, without_words
from hinge.tables._words import TextColumn

__all__ = [
    "COLUMN_KINDS",
    "DATE_ORDERS",
    "DECIMALS",
    "LABEL_KINDS",
    "MAX_FEATURES",
    "MISSING",
    "MISSING_POLICIES",
    "SCALINGS",
    "THOUSANDS",
    "UNKNOWN_POLICIES",
    "Answers",
    "BooleanColumn",
    "CategoryColumn",
    "Cells",
    "Column",
    "DateColumn",
    "Examples",
    "IdColumn",
    "Ignored",
    "Labels",
    "Matrix",
    "NumberColumn",
    "NumberFormat",
    "OneClassPreparation",
    "OneClassSurvey",
    "Preparation",
    "PreparedClassifier",
    "PreparedDetector",
    "PreparedRegressor",
    "Scaling",
    "Survey",
    "TableClassifier",
    "TableDetector",
    "TableModel",
    "TableRegressor",
    "TextColumn",
    "check_policies",
    "stacked",
    "without_words",
]
