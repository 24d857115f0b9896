// Histories of stored examples: snapshots stay what they were, and rows are copied only for the sake of a snapshot.
#include "points.hpp"

#include <algorithm>
#include <optional>

#include "common.hpp"

namespace attack {

namespace {

// All that a snapshot shows, copied.
template <class T>
struct Content {
  explicit Content(const hinge::Examples<T>& shown) : ids(shown.ids, shown.ids + shown.count), norms(shown.norms, shown.norms + shown.count) {
    if (!shown.sparse) values.assign(shown.values, shown.values + shown.count * shown.features);
    for (std::size_t r = 0; shown.sparse && r < shown.count; ++r) {
      values.insert(values.end(), shown.rows[r].value, shown.rows[r].value + shown.rows[r].size);
      indices.insert(indices.end(), shown.rows[r].index, shown.rows[r].index + shown.rows[r].size);
    }
  }
  bool operator==(const Content&) const = default;

  std::vector<std::int64_t> ids;
  std::vector<T> norms, values;
  std::vector<std::int32_t> indices;
};

template <class T>
struct Held {
  explicit Held(const hinge::Points<T>& points) : snapshot(points.snapshot()), content(snapshot.examples) {}
  hinge::PointsSnapshot<T> snapshot;
  Content<T> content;
};

}  // namespace

template <class T>
void snapshots(Dice& dice) {
  const Examples<T> examples(dice, 300, dice.between(1, 8), 2, dice.chance(0.5));
  scene = "snapshots";
  hinge::Points<T> points(examples.features, examples.sparse);
  std::vector<std::optional<Held<T>>> held(3);
  const auto nobody_looks = [&] { return std::none_of(held.begin(), held.end(), [](const auto& one) { return one.has_value(); }); };
  for (std::size_t next = 0; next < examples.rows;) {
    const hinge::Examples<T> before = points.examples();
    switch (dice.below(6)) {
      case 0: {
        auto& one = held[dice.below(held.size())];
        one.reset();
        if (dice.chance(0.6)) one.emplace(points);
        break;
      }
      case 1:
        for (std::size_t slot = 0; slot < points.size(); ++slot)
          if (points.used(slot) && dice.chance(0.1)) points.release(slot);
        break;
      case 2: {
        const bool changes = points.unused_count() > 0;
        points.close_gaps();
        expect(points.unused_count() == 0, "a gap is left");
        const bool copied = points.examples().ids != before.ids;
        expect(!copied || (changes && !nobody_looks()), "rows are copied though nobody looks at them, or nothing changes");
        break;
      }
      default: {
        const auto row = static_cast<std::int64_t>(next);
        const hinge::SparseRow<T> sparse = examples.batch().sparse ? examples.batch().sparse_row(next) : hinge::SparseRow<T>{};
        const T norm = static_cast<T>(dice.real());
        const hinge::Examples<T> one{1, examples.features, examples.sparse, examples.sparse ? nullptr : examples.batch().dense_row(next), &sparse, &norm, &row, norm};
        points.acquire(points.append(one, 0, 0, 1.0));
        ++next;
        break;
      }
    }
    points.check_invariants();
    for (const auto& one : held) expect(!one || Content<T>(one->snapshot.examples) == one->content, "a snapshot has changed");
  }
}

template void snapshots<float>(Dice&);
template void snapshots<double>(Dice&);

}  // namespace attack
