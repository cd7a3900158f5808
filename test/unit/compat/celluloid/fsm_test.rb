# frozen_string_literal: true

require_relative "case"

module Raffia
  # State machines for Celluloid's actors, and the names that its earlier versions had.
  class CompatCelluloidFSMTest < CelluloidCase
    BEGINNING = CelluloidCase::BEGINNING + <<~RUBY
      require "celluloid/fsm"
      class Door
        include Celluloid::FSM
        attr_reader :log
        def initialize(...) = (super; @log = [])
        default_state :closed
        state :closed, to: :open
        state(:open, to: %i[closed broken]) { @log << :opened }
        state(:broken) { @log << [:broken, Celluloid.actor?] }
      end
      class Keeper
        include Celluloid
        attr_reader :door
        def initialize = @door = Door.new
        def open = door.transition(:open)
        def break_later(delay) = (door.transition(:broken, delay: delay) && nil)
        def break_and_close = (break_later(0.01); door.transition(:closed); nil)
        def break_alone(delay) = exclusive { break_later(delay) }
      end
    RUBY

    def test_states_follow_each_other_as_they_may
      assert_prints "[:closed, [:opened], :open, nil, [:opened]]\n" \
        "ArgumentError: Door cannot go from closed to broken, only to open\n" \
        "ArgumentError: Door has no state painted\n[:default, nil]\n:painted\n", <<~RUBY
          door = Door.new
          p [door.state, door.transition(:open), door.state, door.transition(:open), door.log]
          puts said { Door.new.transition(:broken) }
          door.transition(:broken)
          puts said { door.transition(:painted) }
          class Plain
            include Celluloid::FSM
          end
          plain = Plain.new
          p [plain.state, plain.transition(:default)]
          p plain.transition!(:painted)
        RUBY
    end

    def test_a_subclass_has_the_states_of_its_class_and_may_add_some
      assert_prints "[:closed, :open, :broken, :locked]\n[:closed, :open, :broken]\n:locked\n",
        <<~RUBY
          class Safe < Door
            state :locked, default: true, to: :closed
          end
          p Safe.states.keys, Door.states.keys, Safe.new.state
        RUBY
    end

    def test_a_change_that_comes_later_comes_in_the_actor_unless_another_one_does
      assert_prints "[:opened, [:broken, true]]\n[:opened, [:broken, true]]\n" \
        "[:opened, :closed]\ntrue\n", <<~RUBY
          %i[break_later break_alone].each do |way|
            keeper = Keeper.new
            keeper.open
            keeper.public_send(way, 0.01)
            wait_until { keeper.door.state == :broken }
            p keeper.door.log
          end
          keeper = Keeper.new
          keeper.open
          keeper.break_and_close
          Kernel.sleep 0.2
          p keeper.door.log + [keeper.door.state]
          p keeper.alive?
        RUBY
    end

    def test_a_change_that_comes_later_needs_an_actor
      assert_prints "Celluloid::FSM::UnattachedError: Door has no actor that could wait for 1 " \
        "seconds: attach one\n" \
        ":broken\n", <<~RUBY
          door = Door.new
          door.transition(:open)
          puts said { door.transition(:broken, delay: 1) }
          door.attach(Keeper.new)
          door.transition(:broken, delay: 0.01)
          wait_until { door.state == :broken }
          p door.state
        RUBY
    end

    def test_an_actor_that_is_a_state_machine_itself
      assert_prints ":done\n", <<~RUBY
        class Works
          include Celluloid
          include Celluloid::FSM
          default_state :idle
          state :idle, to: :busy
          state(:busy) { transition :done, delay: 0.01 }
          state :done
        end
        works = Works.new
        works.transition(:busy)
        wait_until { works.state == :done }
        p works.state
      RUBY
    end

    def test_names_and_ways_of_earlier_versions
      assert_prints "[1, 2]\n[3, 4]\n[[5, 6], [7, 8]]\n[9, 10]\nhello\ntrue\n", <<~RUBY
        class Pair
          include Celluloid
          include Celluloid::Logger
          def initialize(one, two) = @pair = [one, two]
          def pair = @pair
          def say = info("hello")
          def logger = Logger
        end
        Pair.supervise_as(:first, 1, 2)
        p Celluloid::Actor[:first].pair
        Pair.supervise(3, 4)
        p Celluloid.services.actors.last.pair
        class Group < Celluloid::SupervisionGroup
          supervise Pair, as: :second, args: [5, 6]
          pool Pair, as: :third, args: [7, 8], size: 1
        end
        group = Group.run!
        p %i[second third].map { |name| Celluloid::Actor[name].pair }
        group.supervise_as(:fourth, Pair, 9, 10)
        p Celluloid::Actor[:fourth].pair
        Celluloid.logger = Logger.new($stdout, formatter: ->(_, _, _, text) { "\#{text}\\n" })
        Celluloid::Actor[:fourth].say
        p Celluloid::Actor[:fourth].logger == ::Logger
      RUBY
    end
  end
end
