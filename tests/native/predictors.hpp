// Predictors that are asked while the model that made them learns on: their answers stay the same to the last bit.
#pragma once

#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common.hpp"
#include "predictor.hpp"

namespace attack {

template <class T>
std::vector<double> answers(const hinge::Predictor<T>& predictor, const hinge::Batch<T>& batch, std::size_t threads) {
  std::vector<double> decisions(batch.count * predictor.binaries());
  predictor.decide(batch, decisions, threads);
  for (const double decision : decisions) expect(std::isfinite(decision), "a decision is not finite");
  return decisions;
}

template <class T>
std::vector<double> answers(const hinge::Predictor<T>& predictor, const Examples<T>& examples, std::size_t threads) {
  return answers(predictor, examples.batch(), threads);
}

// A predictor and what it answered when it was made.
template <class T>
class Promise {
 public:
  Promise(std::shared_ptr<const hinge::Predictor<T>> predictor, const Examples<T>& examples, std::size_t threads)
      : predictor_(std::move(predictor)), examples_(examples), answers_(answers(*predictor_, examples, threads)) {}
  void check() const { expect(answers(*predictor_, examples_, 1) == answers_, "a predictor answers something else after its model has changed"); }

 private:
  std::shared_ptr<const hinge::Predictor<T>> predictor_;
  const Examples<T>& examples_;
  std::vector<double> answers_;
};

// Threads that ask a predictor, many rows and few, until they are joined. Nobody has asked it before them.
template <class T>
class Askers {
 public:
  Askers(Dice& dice, std::shared_ptr<const hinge::Predictor<T>> predictor, const Examples<T>& examples) : first_(dice.between(2, 3)) {
    const std::size_t few = dice.between(1, std::min<std::size_t>(examples.rows, 4));
    for (auto& own : first_)
      threads_.emplace_back([this, &own, &examples, few, predictor, inner = dice.between(1, 2)] {
        try {
          do {
            for (const bool is_few : {false, true}) own.take(is_few, answers(*predictor, examples.batch(0, is_few ? few : examples.rows), inner));
          } while (!done_);
        } catch (...) {
          own.raised = std::current_exception();
        }
      });
  }
  ~Askers() { done_ = true; }

  void join() {
    done_ = true;
    threads_.clear();
    for (const Answers& own : first_)
      if (own.raised) std::rethrow_exception(own.raised);
    for (const Answers& other : first_)
      expect(other.many == first_[0].many && other.few == first_[0].few, "threads that ask the same predictor get different answers");
  }

 private:
  // What one thread was told at first, or what went wrong.
  struct Answers {
    std::vector<double> many, few;
    std::exception_ptr raised;

    void take(bool is_few, std::vector<double> found) {
      std::vector<double>& known = is_few ? few : many;
      if (known.empty()) known = std::move(found);
      else expect(known == found, "a predictor changes its mind while its model learns");
    }
  };

  std::atomic<bool> done_{false};
  std::vector<Answers> first_;
  std::vector<std::jthread> threads_;
};

}  // namespace attack
