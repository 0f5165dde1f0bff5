"""What models of pydantic inherit: their methods are not followed, and are told so."""

# mypy: ignore-errors


class ValidationError(ValueError):
    """Arguments do not fit the fields of a model."""


class BaseModel:
    """The base of all models; constructors and comparisons are written by the front end."""

    def model_dump(self, *args, **kwargs):
        return unsupported("BaseModel.model_dump() of pydantic")

    def model_dump_json(self, *args, **kwargs):
        return unsupported("BaseModel.model_dump_json() of pydantic")

    def model_copy(self, *args, **kwargs):
        return unsupported("BaseModel.model_copy() of pydantic")

    def dict(self, *args, **kwargs):
        return unsupported("BaseModel.dict() of pydantic")

    def json(self, *args, **kwargs):
        return unsupported("BaseModel.json() of pydantic")

    def copy(self, *args, **kwargs):
        return unsupported("BaseModel.copy() of pydantic")

    def __iter__(self):
        return unsupported("iterating over a model of pydantic")

    def __getattr__(self, name):
        return unsupported("what BaseModel of pydantic has besides fields")

    @classmethod
    def model_validate(cls, *args, **kwargs):
        return unsupported("BaseModel.model_validate() of pydantic")

    @classmethod
    def model_validate_json(cls, *args, **kwargs):
        return unsupported("BaseModel.model_validate_json() of pydantic")

    @classmethod
    def model_construct(cls, *args, **kwargs):
        return unsupported("BaseModel.model_construct() of pydantic")

    @classmethod
    def model_json_schema(cls, *args, **kwargs):
        return unsupported("BaseModel.model_json_schema() of pydantic")

    @classmethod
    def parse_obj(cls, *args, **kwargs):
        return unsupported("BaseModel.parse_obj() of pydantic")
