# frozen_string_literal: true

# Structured concurrency on any Fiber::Scheduler, and primitives that also serve plain threads. The
# files refer to one another freely and are loaded together, here.
require_relative "base"
require_relative "task/spin_lock"
require_relative "task/waiter"
require_relative "task/cancel_scope"
require_relative "task/cancellation_stack"
require_relative "task/alarm"
require_relative "task/deadline"
require_relative "task/shield"
require_relative "task/task"
require_relative "task/scope"
require_relative "task/select"
require_relative "task/channel"
require_relative "task/semaphore"
require_relative "task/condition"
require_relative "task/barrier"
require_relative "task/rate_limiter"
require_relative "task/race"
require_relative "task/retry"
