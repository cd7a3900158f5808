# frozen_string_literal: true

require_relative "assignment_check"

module Raffia
  class Pool
    class Auto
      # The strategies that a block cannot be given to without asking its author, and why.
      class Obstacles
        def initialize(block, refusal)
          @block = block
          @refusal = refusal
        end

        def to_h
          effects = AssignmentCheck.of(@block)
          apart = @refusal ||
            (effects &&
              "the block assigns to #{effects}, which another process or Ractor would do in vain")
          {fibers: fibers, processes: apart || processes, ractors: apart || ractors}.compact
        end

        private

        def fibers
          unless ::Fiber.current_scheduler || Raffia.respond_to?(:run)
            "there is no Fiber scheduler: require \"raffia\""
          end
        end

        def processes
          return "this Ruby has no fork" unless ::Process.respond_to?(:fork)
          if old_ractors? && ::Ractor.count > 1
            return "Ractors are running, and a fork of this Ruby would hang on them"
          end

          threads = Thread.list.count do |thread|
            thread.status == "run" && !thread.equal?(Thread.current)
          end
          if threads.positive?
            "#{threads} other thread#{"s" if threads > 1} at work, wherever a fork would catch them"
          end
        end

        # Ractors of Ruby 3 make later forks impossible, so they are used only when asked for.
        def ractors
          return "this Ruby has none" unless defined?(::Ractor)
          if old_ractors?
            return "they are an experiment in Ruby #{RUBY_VERSION}, and in the way of later " \
              "forks: ask for them"
          end

          Executor::Ractors::PortableBlock.share(@block) && nil
        rescue NotShareable => error
          error.message
        end

        def old_ractors? = defined?(::Ractor) && RUBY_VERSION < "4"
      end
    end
  end
end
