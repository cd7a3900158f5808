# frozen_string_literal: true

require_relative "base"

# Structured concurrency on any Fiber::Scheduler.
module Raffia
end

require_relative "task/guard"
require_relative "task/waiter"
require_relative "task/strand"
require_relative "task/alarm"
require_relative "task/deadline"
require_relative "task/shield"
require_relative "task/task"
require_relative "task/scope"
