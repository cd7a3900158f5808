# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  # What lives beside the main work of a loop, such as a tree of actors: begun before that, ended
  # after it.
  #
  # @api private
  class Companions
    # @param blocks [Array<#call>] each begins some, and returns them: what can be asked to `stop`,
    #   and waited for by `join`
    # @param log [#error]
    def initialize(blocks, log)
      @blocks = blocks
      @log = log
      @all = @watch = [].freeze
    end

    # @param scope [Scope]
    # @yield when one has ended by itself: the work should not go on without it
    # @return [self]
    # @raise [Exception] what a block raises
    def begin(scope, &lost)
      @all = @blocks.flat_map do |block|
        [block.call].flatten.select { |one| one.respond_to?(:join) && one.respond_to?(:stop) }
      end
      @watch = @all.map { |one| scope.spawn { watch(one, &lost) } }
      self
    end

    # Ends them, the last one first. When the time is over the others are told to end, and not
    # waited for.
    # @param seconds [Numeric, nil] to wait for that
    # @return [void]
    def stop(seconds)
      @watch.each { |task| task.cancel(:stop) }
      give_up = Clock.now + seconds if seconds
      @all.reverse_each do |one|
        one.stop
        one.join(give_up && [give_up - Clock.now, 0].max) or
          @log.error("#{one.inspect} did not end in its time")
      end
    end

    private

    def watch(one)
      one.join
      @log.error("#{one.inspect} has ended, and so does this " \
        "worker#{": #{Cancel.describe(one.reason)}" if one.respond_to?(:reason)}")
      yield
    end
  end
end
