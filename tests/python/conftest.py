"""What the tests of the Python side share: where they compute."""

import pytest
import torch

PLACES = [("cpu", torch.float32), ("cpu", torch.bfloat16), ("cuda", torch.bfloat16)]


@pytest.fixture(params=PLACES, ids=lambda place: f"{place[0]}-{str(place[1]).removeprefix('torch.')}")
def place(request):
    """A device and a type that algebraic layers compute on there."""
    device, dtype = request.param
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    return torch.device(device), dtype


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(20)
