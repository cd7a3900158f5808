# frozen_string_literal: true

require_relative "controlling_terminal"

module Raffia
  module Process
    class Supervisor
      # Executes the commands that the supervisor gets while it runs.
      #
      # @api private
      class CommandHandler
        def initialize(loop, restart, scaler)
          @loop = loop
          @restart = restart
          @scaler = scaler
          @log = loop.settings.log
          @terminal = ControllingTerminal.new
        end

        def handle(order, *arguments)
          case order
          when :stop then @loop.drain
          when :interrupt then @loop.stopping? ? @loop.kill : @loop.drain
          when :dump then @loop.tell_all(:dump)
          when :hangup then handle(@terminal.gone? ? :stop : :restart)
          when :broadcast then @loop.tell_all(*arguments)
          when :reopen then reopen
          when :upgrade
            @log&.warn("USR2 is kept for changing the program without a pause, which is not " \
              "there yet")
          else change(order, *arguments) unless @loop.stopping?
          end
        end

        private

        # What makes no sense any more when all are told to stop. (:reap only wakes the loop: it
        # does that at every turn.)
        def change(order, *arguments)
          case order
          when :restart then @restart.begin
          when :grow then @scaler.resize(@scaler.size + 1)
          when :shrink then @scaler.resize(@scaler.size - 1)
          when :resize then @scaler.resize(*arguments)
          end
        end

        def reopen
          @loop.hook(:on_reopen)
          @loop.tell_all(:reopen)
        end
      end
    end
  end
end
