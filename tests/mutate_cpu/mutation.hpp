// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

/// What scripts/mutate-cpu writes into headers: places that compute as before until their number is chosen.
/// Operators keep their precedence: `a < b` is `a < infix<less, less_equal>{17} > b`.
namespace gp_mutation {

enum class state : unsigned char { unknown, executed, immutable };

inline constexpr std::size_t most_places = 20000;
inline std::array<std::atomic<state>, most_places> states{};
inline int active = 0;

/// Whether a place has its fault; notes that it was executed.
inline bool chosen(int number) noexcept {
  auto& place = states[static_cast<std::size_t>(number)];
  if (place.load(std::memory_order_relaxed) != state::executed) {
    place.store(state::executed, std::memory_order_relaxed);
  }
  return number == active;
}

/// For the types at hand the fault would not compile, or give another type.
inline void cannot_change(int number) noexcept {
  auto unknown = state::unknown;
  states[static_cast<std::size_t>(number)].compare_exchange_strong(unknown, state::immutable);
}

#define GP_FUNCTION(NAME, OPERATOR)                                                                             \
  struct NAME {                                                                                                 \
    template <class A, class B>                                                                                 \
    constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) OPERATOR std::forward<B>(b)) { \
      return std::forward<A>(a) OPERATOR std::forward<B>(b);                                                    \
    }                                                                                                           \
  };
GP_FUNCTION(less, <)
GP_FUNCTION(less_equal, <=)
GP_FUNCTION(greater, >)
GP_FUNCTION(greater_equal, >=)
GP_FUNCTION(equal, ==)
GP_FUNCTION(different, !=)
GP_FUNCTION(plus, +)
GP_FUNCTION(minus, -)
GP_FUNCTION(times, *)
GP_FUNCTION(over, /)
GP_FUNCTION(modulo, %)
GP_FUNCTION(add, +=)
GP_FUNCTION(subtract, -=)
#undef GP_FUNCTION

template <class Original, class Fault, class A, class B>
constexpr decltype(auto) apply(int number, A&& a, B&& b) {
  using result = decltype(Original{}(std::forward<A>(a), std::forward<B>(b)));
  if (!std::is_constant_evaluated()) {
    if constexpr (requires {
                    { Fault{}(std::forward<A>(a), std::forward<B>(b)) } -> std::same_as<result>;
                  }) {
      if (chosen(number)) {
        return Fault{}(std::forward<A>(a), std::forward<B>(b));
      }
    } else {
      cannot_change(number);
    }
  }
  return Original{}(std::forward<A>(a), std::forward<B>(b));
}

template <class Original, class Fault>
struct infix {
  int number;
};

/// The left operand of a binary operator, or the right one of an assignment.
template <class Original, class Fault, class A>
struct operand {
  int number;
  A&& value;
};

#define GP_INFIX(FIRST, SECOND)                                                                  \
  template <class A, class Original, class Fault>                                                \
  constexpr operand<Original, Fault, A> operator FIRST(A&& a, infix<Original, Fault> place) {    \
    return {place.number, std::forward<A>(a)};                                                   \
  }                                                                                              \
  template <class A, class B, class Original, class Fault>                                       \
  constexpr decltype(auto) operator SECOND(operand<Original, Fault, A> left, B&& b) {            \
    return apply<Original, Fault>(left.number, std::forward<A>(left.value), std::forward<B>(b)); \
  }
GP_INFIX(<, >)
GP_INFIX(>, <)
GP_INFIX(==, ==)
GP_INFIX(!=, !=)
GP_INFIX(+, +)
GP_INFIX(-, -)
GP_INFIX(*, *)
GP_INFIX(/, /)
GP_INFIX(%, %)
#undef GP_INFIX

#define GP_ASSIGNMENT(OPERATOR)                                                                    \
  template <class B, class Original, class Fault>                                                  \
  constexpr operand<Original, Fault, B> operator OPERATOR(infix<Original, Fault> place, B&& b) {   \
    return {place.number, std::forward<B>(b)};                                                     \
  }                                                                                                \
  template <class A, class B, class Original, class Fault>                                         \
  constexpr decltype(auto) operator OPERATOR(A&& a, operand<Original, Fault, B> right) {           \
    return apply<Original, Fault>(right.number, std::forward<A>(a), std::forward<B>(right.value)); \
  }
GP_ASSIGNMENT(+=)
GP_ASSIGNMENT(-=)
#undef GP_ASSIGNMENT

/// -x is -sign{17} * x.
struct sign {
  int number;
};
struct minus_sign {
  int number;
};
constexpr minus_sign operator-(sign place) {
  return {place.number};
}
template <class A>
constexpr auto operator*(minus_sign place, A&& a) -> decltype(-std::forward<A>(a)) {
  if (!std::is_constant_evaluated() && chosen(place.number)) {
    return +std::forward<A>(a);
  }
  return -std::forward<A>(a);
}

template <class T>
constexpr T constant(int number, T value) {
  if (!std::is_constant_evaluated() && chosen(number)) {
    return static_cast<T>(value + T(1));
  }
  return value;
}

template <class Condition>
constexpr bool negated(int number, Condition&& condition) {
  if (!std::is_constant_evaluated() && chosen(number)) {
    return !static_cast<bool>(condition);
  }
  return static_cast<bool>(condition);
}

/// Whether the part of a condition is left out; constant expressions keep it.
constexpr bool left_out(int number) {
  return !std::is_constant_evaluated() && chosen(number);
}

}  // namespace gp_mutation
