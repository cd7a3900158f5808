# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# Threads are fibers here that take turns, which is how simulated threads run.
class SimulationRacesTest < Raffia::TestCase
  Races = Raffia::Simulation::Races
  Runner = Struct.new(:path)

  class Account
    attr_accessor :balance, :name
    attr_writer :lock

    def initialize
      @balance = 0
      @mutex = Mutex.new
      @monitor = Monitor.new
      @queue = Queue.new
      @memo = nil
    end

    def add = @balance += 1

    def add_locked
      @mutex.synchronize { @balance += 1 }
    end

    def add_by_lock
      @mutex.lock
      @balance += 1
    ensure
      @mutex.unlock
    end

    def add_on_one_line
      @mutex.lock; @balance += 1; @mutex.unlock # standard:disable Style/Semicolon
    end

    def add_monitored
      @monitor.synchronize do
        @monitor.synchronize { @balance += 1 }
      end
    end

    def add_through(method) = @mutex.synchronize(&method)

    def put
      @box = 1
      @queue << :ready
    end

    def take
      @queue.pop
      @box
    end

    def take_on_one_line
      [@queue.pop, @box]
    end

    def memo
      @memo ||= 1
    end

    def spread
      value = @balance
      call
      @balance = value + 1
    end

    def add_after_error = @balance = Integer("none")

    def call = nil

    def look = @balance
  end

  class Shared
    @@shared = 0

    def global = $simulation_races = 1 # standard:disable Style/GlobalVars

    def shared = @@shared += 1
  end

  def setup
    need_cruby "bytecode"
    @threads = {}.compare_by_identity
    @scope = ->(_) { true }
    @account = Account.new
  end

  def test_unordered_writes
    race = races_of(-> { @account.add }, -> { @account.add }).first
    assert_equal "@balance of SimulationRacesTest::Account", race.variable
    assert_equal %w[a b], race.threads
    line = Account.instance_method(:add).source_location.last
    assert_equal ["#{__FILE__}:#{line}"], race.places.uniq
    assert_match(/\Adata race on @balance of .*: thread a writes at .*Mutex/, race.to_s)
  end

  def test_reads_alone_are_no_race
    assert_empty races_of(-> { @account.look }, -> { @account.look })
    refute_empty races_of(-> { @account.look }, -> { @account.add })
  end

  def test_one_lock_orders
    %i[add_locked add_by_lock add_on_one_line add_monitored].each do |name|
      assert_empty races_of(-> { @account.send(name) }, -> { @account.send(name) }), name
    end
    assert_empty races_of(-> { @account.add_through(@account.method(:add)) },
      -> { @account.add_locked })
  end

  def test_two_locks_do_not
    refute_empty races_of(-> { @account.add_locked }, -> { @account.add_monitored })
    refute_empty races_of(-> { @account.add_locked }, -> { @account.add })
  end

  def test_a_queue_orders
    assert_empty races_of(-> { @account.put }, -> { @account.take })
    assert_empty races_of(-> { @account.put }, -> { @account.take_on_one_line })
    refute_empty races_of(lambda {
      @account.put
      @account.put
    }, -> { @account.take })
  end

  # A world's methods of core are in Ruby. They stay in the process, so the other tests may come
  # before or after.
  def test_methods_of_a_world_order_as_those_of_core
    Raffia::Simulation::CoreMethods.install
    test_a_queue_orders
    test_condition_variables_and_sized_queues
    test_one_lock_orders
  end

  def test_a_thread_is_ordered_after_its_start_and_before_its_join
    fibers = [fiber("main") { @account.add }, fiber("a") { @account.add },
      fiber("main") { @account.add }]
    main, child = @threads.values_at(*fibers)
    @threads[fibers[2]] = main
    @races = Races.new { @threads[Fiber.current] }
    @races.watch do
      fibers[0].resume
      @races.started(main, child)
      fibers[1].resume
      @races.ordered(child, main)
      fibers[2].resume
    end
    assert_empty @races.found
  end

  def test_attributes_are_accesses
    race = races_of(-> { @account.balance += 1 }, -> { @account.balance }).first
    assert_equal "@balance of SimulationRacesTest::Account", race.variable
    assert_predicate race, :harmless_on_cruby?
  end

  def test_locals_that_blocks_share
    blocks = []
    share = lambda do
      count = 0
      blocks << -> { count += 1 }
      blocks << -> { count += 1 }
    end
    race = races_of(share, -> { blocks.first.call }, -> { blocks.last.call }).last
    assert_equal "local variable count", race.variable
    assert_equal %w[b c], race.threads
    assert_empty races_of(-> { own }, -> { own })
  end

  def test_a_write_that_did_not_happen_is_none
    @account.memo
    assert_empty races_of(-> { @account.memo }, -> { @account.memo })
    @account = Account.new
    refute_empty races_of(-> { @account.memo }, -> { @account.memo })
  end

  def test_what_comes_after_an_error_has_not_happened
    failing = lambda do
      @account.add_after_error
    rescue ArgumentError
      nil
    end
    assert_empty races_of(failing, -> { @account.add })
  end

  def test_globals_class_variables_and_constants
    sample = Shared.new
    races = races_of(-> { sample.global && sample.shared }, -> { sample.global && sample.shared })
    assert_equal %w[$simulation_races @@shared], races.map(&:variable).uniq
  end

  def test_frozen_objects_are_left_out
    @account.freeze
    assert_empty races_of(-> { @account.look }, -> { @account.look })
  end

  def test_harmless_on_cruby_where_no_switch_point_lies_between_read_and_write
    race = races_of(-> { @account.add }, -> { @account.add }).first
    assert_predicate race, :harmless_on_cruby?
    assert_includes race.to_s, "harmless on CRuby"
    race = races_of(-> { @account.spread }, -> { @account.add }).last
    refute_predicate race, :harmless_on_cruby?
  end

  def test_code_out_of_scope_is_not_examined
    @scope = ->(path) { path != __FILE__ }
    assert_empty races_of(-> { @account.add }, -> { @account.add })
  end

  def test_condition_variables_and_sized_queues
    condition = ConditionVariable.new
    assert_empty races_of(lambda {
      @account.name = 1
      condition.signal
    }, -> {})
    queue = SizedQueue.new(2)
    assert_empty races_of(lambda {
      @account.name = 2
      queue.push(1)
    }, lambda {
      queue.pop
      @account.name
    })
  end

  private

  def own
    sum = 0
    2.times { sum += 1 }
    sum
  end

  def fiber(path, &block)
    Fiber.new(&block).tap { |made| @threads[made] = Runner.new(path) }
  end

  # Runs blocks as threads, one after the other, and returns the races that this shows.
  def races_of(*blocks)
    @races = Races.new(scope: @scope, point: ->(trace) { trace.method_id == :call }) do
      @threads[Fiber.current]
    end
    fibers = blocks.zip(%w[a b c]).map { |block, path| fiber(path, &block) }
    @races.watch { fibers.each(&:resume) }
    @races.found
  end
end
