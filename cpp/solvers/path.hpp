// How an exact binary changes: one thing moves (the coefficient of an example that comes or goes, or the total), and the margin set S
// answers so that its gradients stay zero. With sign s the direction of the move and K without labels (signed coefficients),
//
//   coefficient c:  [b'; alpha_s'] = -s Q [1; K_sc],       h_r' = -(K_rs alpha_s' + s K_rc)
//   total A:        [b'; alpha_s'] =  s Q [1; t_s'],       h_r' = s t_r' - K_rs alpha_s'     (t' = dt/dA, zero but for spheres)
//
// until somebody reaches an end of its box, somebody's gradient h_r - b reaches zero, or the mover is where it should be; then S changes
// and the path takes a new direction. With S empty only b can move, until somebody's gradient is zero. An example that depends on S
// (kappa = 0: duplicates, low rank) cannot join; moving it changes no gradient, so it moves until a member gives up its place.
//
// Only the examples nearest to zero gradient, by distance and (on long paths) by time, are watched at every step. All others are brought
// up to date once, at the end; who has come to violate its condition by then is moved in turn. The solution that is reached is the same,
// since each such state is the exact solution for the examples that were looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

class Path {
 public:
  Path(ExactBinaryModel& binary, Columns& columns);
  ~Path();
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  // Moves a coefficient until its example obeys the conditions.
  void settle(std::size_t slot);
  // Moves it to zero whatever its gradient is; the example then plays no part.
  void withdraw(std::size_t slot);
  void change_total(double value);
  // Takes free coefficients, whose columns are there, into an empty margin set.
  void adopt(std::span<const std::size_t> free);
  // Ends the work: all gradients are up to date, everybody obeys.
  void finish();

  std::size_t steps() const { return steps_; }
  std::size_t refreshed() const { return refreshed_; }

 private:
  struct Course {
    std::optional<std::size_t> mover;  // a coefficient, or else the total
    double sign;
    double left;                       // how far it may go
    bool until_flat;                   // it stops where its gradient vanishes
  };
  using Way = std::pair<double, std::size_t>;  // how far a slot has to go
  enum class Happening { arrived, flat, leaves, joins };
  struct Event {
    Happening what;
    double distance;
    std::size_t slot;
  };

  void begin();
  static bool is_finite(std::span<const double> values);
  bool gives_up_on(std::span<const double> values);
  bool is_lost();
  void run(Course course);
  void step(Course& course);
  // result = Q side, with the digits that a nearly singular set would lose found again from the matrix itself.
  void solve(std::span<const double> side, std::span<double> result);
  void find_direction(const Course& course);
  void find_rates(const Course& course);
  Event next_event(const Course& course) const;
  void look_at_mover(const Course& course, Event& event) const;
  void look_at_margin(Event& event) const;
  void look_at_watched(const Course& course, Event& event) const;
  double least_rate() const;
  void advance(Course& course, double distance);
  void shake();
  void nudge(std::size_t slot);
  void arrive(const Course& course);

  // Members of the margin set come and go; the direction follows.
  void join(const Course& course, std::size_t slot);
  void enter(std::size_t slot);
  void make_room(std::size_t slot);
  void leave(std::size_t slot, Place to);
  double join_direction(std::size_t slot);
  double find_joining(std::size_t slot);
  bool move_bias(const Course& course);

  // By how much an example violates its condition; at most zero if it does not.
  double violation(std::size_t slot) const;
  std::vector<std::size_t> violators() const;
  void watch(std::span<const std::size_t> movers);
  void watch_also(std::size_t slot);
  std::vector<Way> at_ends() const;
  static std::vector<Way> shortest(std::vector<Way> ways, std::size_t count);
  // Whether a course is worth a look at everybody's rates, so that those are watched whom it will reach first.
  bool goes_far(const Course& course) const;
  void look_ahead(const Course& course);
  void touch(std::size_t slot);
  void fetch_column(std::size_t slot, const std::optional<std::size_t>& mover);
  void update_rest();
  void update(std::span<const std::size_t> rows);
  void correct();
  bool is_sound(double grains) const;
  void newton();
  Way free_way(std::span<const double> change) const;
  void drop_idle_members();
  void unwatch();
  void rebuild();
  bool invert();

  ExactBinaryModel& machine_;
  Columns& columns_;
  double grain_;
  std::size_t steps_ = 0;
  std::size_t refreshed_ = 0;
  std::vector<double> direction_;          // b' and alpha_s'
  std::vector<double> joining_;            // the same for a member that joins, by its own coefficient
  std::vector<std::size_t> watched_;
  std::vector<std::uint8_t> is_watched_;   // by slot
  std::vector<double> rates_;              // of the gradients h - b of those watched
  std::vector<std::pair<std::size_t, double>> touched_;  // slots and their coefficients when all gradients were last up to date
  std::vector<std::uint8_t> is_touched_;
  double total_before_;
  std::optional<std::size_t> last_joined_;
  std::uint64_t shakes_ = 1;               // the last of a row of random numbers
  bool shaky_ = false;                     // the margin set is nearly singular
  bool worn_ = false;                      // the inverse is none any more
  std::size_t idle_ = 0;                   // steps of no length in a row
  bool up_to_date_ = true;                 // no step since all gradients were
  std::vector<double> weights_;            // by column, scratch
};

}  // namespace hinge
