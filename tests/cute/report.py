"""What was compared, and what differs."""


class Report:
    """Counts comparisons, and keeps the first differences of each kernel, with the instruction and both values."""

    MOST_OF_A_KERNEL = 5

    def __init__(self):
        self.kernels = self.descriptors = self.atoms = self.elements = self.count = 0
        self.differences = []
        self._kernel, self._before = None, 0

    def begin(self, kernel):
        self.kernels += 1
        self._kernel, self._before = kernel, self.count

    def difference(self, instruction, what, found, expected):
        self.problem(f"{instruction}\n  {what}: the kernel has {found}, it should be {expected}")

    def problem(self, text):
        self.count += 1
        if self.count - self._before <= self.MOST_OF_A_KERNEL:
            self.differences.append(f"{self._kernel.command}\n  {text}")

    def summary(self):
        return (f"{self.kernels} kernels: {self.descriptors} descriptors compared with CuTe's, {self.atoms} of the "
                f"atoms that they lead to with what was loaded there, {self.elements} elements followed to their place "
                f"in the result; {self.count} differences")
