# frozen_string_literal: true

module Raffia
  class Server
    module Takeover
      # States of one side of a takeover. It does nothing itself: each event returns the actions
      # that its side has to do. Events that mean nothing in a state are ignored, because messages
      # cross.
      #
      # For a moment both accept, before the old side holds its workers: no connection waits for
      # messages between the two.
      #
      # The old side decides, because it has the last word: with "left" it gives everything up, with
      # "abort" it takes everything back. A side that dies has lost: the other one serves.
      #
      #     old  idle -hello-> offered -ready-> yielded -commit-> trial -confirm-> left
      #     new  booting -serving-> probing -passed-> ready -yielded-> trial -passed-> confirming
      #          -left-> owner -eof-> alone
      #
      # @api private
      class StateMachine
        # state => event => next state, actions. `late`: the other side takes too long.
        OLD = ::Ractor.make_shareable({
          idle: {hello: [:offered, :offer]},
          offered: {ready: [:yielded, :send_yielded], abort: [:idle, :fail],
                    eof: [:idle, :fail], late: [:idle, :send_abort, :fail],
                    stop: [:idle, :send_abort]},
          yielded: {commit: [:trial, :hold], abort: [:idle, :fail], eof: [:idle, :fail],
                    late: [:idle, :send_abort, :fail], stop: [:idle, :send_abort]},
          trial: {confirm: [:left, :send_left, :leave], abort: [:idle, :take_back, :fail],
                  eof: [:idle, :take_back, :fail], late: [:idle, :send_abort, :take_back, :fail],
                  stop: [:left, :send_left, :disown]},
          left: {}
        })

        # `serving`: all workers are ready; `passed`, `failed`: the probe, and in the trial its time
        # is over as well.
        NEW = ::Ractor.make_shareable({
          booting: {serving: [:probing, :probe], abort: [:failed, :give_up],
                    stop: [:failed, :send_abort], eof: [:alone, :own, :release, :resize]},
          probing: {passed: [:ready, :send_ready], failed: [:failed, :send_abort, :give_up],
                    abort: [:failed, :give_up], stop: [:failed, :send_abort],
                    eof: [:alone, :own, :release, :resize]},
          ready: {yielded: [:trial, :release, :send_commit, :try],
                  failed: [:failed, :send_abort, :give_up], abort: [:failed, :give_up],
                  stop: [:failed, :send_abort], eof: [:alone, :own, :release, :resize]},
          trial: {passed: [:confirming, :send_confirm],
                  failed: [:failed, :hold, :send_abort, :give_up],
                  abort: [:failed, :hold, :give_up], stop: [:failed, :hold, :send_abort],
                  left: [:owner, :own], eof: [:alone, :own, :resize]},
          confirming: {left: [:owner, :own], abort: [:failed, :hold, :give_up],
                       stop: [:failed, :hold, :send_abort], eof: [:alone, :own, :resize]},
          owner: {eof: [:alone, :resize]},
          failed: {left: [:failed, :own]},
          alone: {}
        })

        attr_reader :state

        def self.old = new(OLD, :idle)

        def self.new_side = new(NEW, :booting)

        def initialize(table, state)
          @table = table
          @state = state
        end

        # Returns the actions, in order.
        def call(event)
          @state, *actions = @table.fetch(@state)[event] || @state
          actions
        end
      end
    end
  end
end
