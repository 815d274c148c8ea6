from importlib.metadata import Distribution

class DistFacade:
    def __init__(self, dist: Distribution) -> None: ...
