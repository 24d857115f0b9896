// Many steps among a few members, whose kernel values stand side by side: those that violate most, and those between their bounds. A step then
// touches as many gradients as there are members in the set; the gradients of all others follow once, at the end. Where hundreds of steps are needed
// after an example, which is where C is large, they cost a fraction of steps over the whole model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary_model.hpp"
#include "solvers/gram_problem.hpp"

namespace hinge {

// A member that may move, and how far its gradient reaches that way.
struct Violator {
  double gradient;
  std::int64_t id;
  std::size_t at;
};

template <class T>
class WorkingSet {
 public:
  // Members that `optimise` would move among; returns how much that costs at least, in steps over the whole model.
  std::size_t choose(const BinaryModel<T>& binary);
  // Makes steps among them until they violate by no more than the tolerance, at most as many as cost `most` steps over the whole model; returns
  // what they cost.
  std::size_t optimise(BinaryModel<T>& binary, double tolerance, std::size_t most);

 private:
  void gather(BinaryModel<T>& binary);
  std::size_t update(BinaryModel<T>& binary) const;

  // By place in the set.
  std::vector<std::size_t> members_;  // the oldest example first: places of members depend on how a stream is cut into calls
  std::vector<double> alpha_, gradient_;
  std::vector<Box> boxes_;
  std::vector<T> gram_;
  std::vector<Violator> rising_, falling_;  // kept for their memory
};

}  // namespace hinge
