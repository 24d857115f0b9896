// What becomes of members without a coefficient when a model has been optimised.
#pragma once

namespace hinge {

enum class AtEnd { dismiss_idle, keep_idle };

}  // namespace hinge
