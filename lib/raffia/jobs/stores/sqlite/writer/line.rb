# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        class Writer
          # What somebody wants done.
          class Call
            # @return [Proc]
            attr_reader :block
            # @return [Boolean]
            attr_reader :durable
            # @return [Thread::Queue] told :lead or :done
            attr_reader :word
            # @return [Object]
            attr_accessor :value
            # @return [Exception, nil]
            attr_accessor :error
            # @return [Boolean] whether it is in the log, though perhaps not on disk
            attr_accessor :committed

            def initialize(block, durable)
              @block = block
              @durable = durable
              @word = Thread::Queue.new
            end
          end

          # Where calls wait. One of them leads at a time, and serves those that are in the line
          # then.
          class Line
            def initialize
              @guard = Thread::Mutex.new
              @waiting = []
              @led = false
            end

            # @param call [Call]
            # @yieldparam group [Array<Call>] to serve, when this one leads
            # @return [void] when it has been served
            def enter(call, &serve)
              lead(&serve) if join(call) || call.word.pop == :lead
            ensure
              leave(call)
            end

            private

            # @return [Boolean] whether this one leads
            def join(call)
              @guard.synchronize do
                @waiting << call
                @led ? false : (@led = call)
              end
            end

            # Who is interrupted while it leads hands what is left to the next leader.
            def lead(group = nil)
              # Who were served with it just now come back too, if they may: a flush for each of
              # them and one for the rest would be two for all.
              sleep(0) if @company
              @guard.synchronize { group = @waiting.shift(GROUP) }
              @company = group.size > 1
              yield group
              served = group
            ensure
              hand_over(group || [], served || [])
            end

            def hand_over(group, served)
              @guard.synchronize do
                @waiting.unshift(*(group - served))
                served.each { |call| call.word << :done unless call.equal?(@led) }
                appoint
              end
            end

            # Interrupted while it waited: if it is not being served now it never will be.
            def leave(call)
              @guard.synchronize do
                appoint if @waiting.delete(call) && call.equal?(@led)
              end
            end

            def appoint
              @led = @waiting.first
              @led&.word&.push(:lead)
            end
          end
        end
      end
    end
  end
end
