# frozen_string_literal: true

require_relative "bounded_fork"
require_relative "message_channel"
require_relative "template_main"

module Raffia
  module Process
    class Supervisor
      # A template process: it has preloaded what the workers of one generation share, and forks
      # them. (Pitchfork calls it a mold.) A restart makes a new one, which loads the code afresh
      # while workers of the old one serve. The supervisor, which cannot unload anything, loads none
      # of it.
      #
      # Workers are forked twice, by the template and by a child of it that ends at once. The kernel
      # then gives them to the supervisor, which reaps them.
      #
      # @api private
      class TemplateProcess
        DEAD = %i[failed gone].freeze

        attr_reader :generation, :pid, :state

        def initialize(settings, work, boards, disown, generation: 1)
          @arguments = [settings, work, boards, disown]
          @generation = generation
          @state = :loading
          @reaped = false
          @deadline = Clock.now + settings.boot_timeout
          @channel, theirs = MessageChannel.pair
          main = TemplateMain.new(settings, work, boards, generation)
          @pid = BoundedFork.fork do
            @channel.close
            disown.call([theirs.to_io])
            main.run(theirs)
          end
        ensure
          theirs&.close
        end

        def next(generation) = TemplateProcess.new(*@arguments, generation: generation)

        def deadline = (@deadline if @state == :loading)

        def ios = @channel.closed? ? [] : [@channel.to_io]

        def hear
          while !@channel.closed? && (message = @channel.receive_now) != :none
            return @channel.close unless message

            ready if message.first == "loaded"
            @state = :failed if message.first == "failed"
          end
        end

        def dead? = DEAD.include?(@state) || @channel.closed?

        def served(now) = @ready_at && now - @ready_at

        def gone
          @reaped = true
          @state = :gone unless @state == :failed
          @channel.close
        end

        # Ends it: with the channel, or else by force.
        def close
          @channel.close
          ::Process.kill(:KILL, @pid) unless @reaped # then another process may have its number
        rescue Errno::ESRCH
          nil
        end

        # Our end of the worker's channel. The worker itself reports its pid, after the template has
        # loaded. Raises WorkerDied.
        def spawn(slot, row)
          ours, theirs = MessageChannel.pair
          order = {index: slot.index, row: row, classes: slot.ios.map { |io| io.class.name }}
          return [ours, nil] if @channel.send(:spawn, order, [theirs.to_io, *slot.ios])

          ours.close
          raise WorkerDied.new("the process that forks the workers is gone", pid: @pid)
        ensure
          theirs&.close
        end

        private

        def ready
          @state = :ready
          @ready_at = Clock.now
        end
      end
    end
  end
end
