# frozen_string_literal: true

require "securerandom"
require_relative "bells/bell"
require_relative "place"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # How processes wake one another: who waits has a {Bell}, a socket in a directory beside the
        # database, and who has committed jobs rings all that are there. A bell says nothing but
        # that there may be something; who hears it looks. It stays when its wait has ended, so that
        # what is rung between two waits is not lost.
        # @api private
        class Bells
          # @param dir [String]
          # @param database [String] its path: who may write to it may ring, and nobody else
          def initialize(dir, database)
            @dir = dir
            @database = database
            @guard = Thread::Mutex.new
            @idle = []
            @busy = []
            @interrupted = false
            @audible = true
          end

          # Where sockets cannot be made there are none, and waits look now and then.
          # @return [Boolean]
          def audible? = @audible

          # @yieldparam bell [Bell] for one wait
          def take
            bell = @guard.synchronize { borrow }
            yield bell
          ensure
            @guard.synchronize { give_back(bell) } if bell
          end

          # Ends the waits of this process; if there is none, the next one.
          def interrupt
            @guard.synchronize do
              @interrupted = @busy.empty?
              @busy.each(&:interrupt)
            end
          end

          # Wakes all that wait, in any process.
          # @return [void]
          def ring
            Dir.each_child(@dir) do |name|
              Bell.ring(File.join(@dir, name)) unless name.start_with?(Bell::UNREADY)
            end
          rescue SystemCallError
            nil # nobody has ever waited
          end

          # @return [void]
          def close
            @guard.synchronize { [*@idle, *@busy].each(&:close) }
          end

          # In a child: they are the parent's.
          def discard = [*@idle, *@busy].each(&:discard)

          private

          def borrow
            bell = @idle.pop || hang
            bell.begin(@interrupted)
            @interrupted = false
            @busy << bell
            bell
          end

          def hang
            Place.folder(@dir, @database)
            Bell.new(File.join(@dir, "#{::Process.pid}-#{SecureRandom.hex(4)}"),
              Place.mode(@database))
          rescue SystemCallError, ArgumentError
            @audible = false
            Bell.new(nil)
          end

          def give_back(bell)
            @busy.delete(bell)
            @idle << bell
          end
        end
      end
    end
  end
end
