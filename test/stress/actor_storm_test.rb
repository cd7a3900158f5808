# frozen_string_literal: true

require "test_helper"
require "logger"
require "raffia/actor"

# A thread kills actors, of all places and under all strategies, and their supervisors and
# processes, at random, while others call them. RAFFIA_ACTOR_STORM says for how many seconds; where
# nothing is said there are {KILLS}, however long they take.
class ActorStormTest < Raffia::TestCase
  SECONDS = ENV["RAFFIA_ACTOR_STORM"]&.to_f
  KILLS = 60
  SEED = Integer(ENV.fetch("RAFFIA_STORM_SEED", Random.new_seed % 1_000_000))
  CALLERS = 3
  STRATEGIES = %i[one_for_one one_for_all rest_for_one dynamic].freeze
  # Seconds that a call may take before it counts as never answered.
  PATIENCE = 60

  class Target < Raffia::Actor
    options mailbox: 50
    def initialize
      @sum = 0
    end

    def add(number) = @sum += number

    def nap = sleep(rand / 1_000)

    def boom = raise("boom")

    def leave = stop

    def pid = ::Process.pid
  end

  # Takes what it is given, and so do its children.
  class Branch < Raffia::Supervisor
    strategy :one_for_one, intensity: nil, backoff: 0
  end

  # A process of many tests had better not fork while Ractors are at work in it: they are only in
  # the storm that has a process to itself.
  def places
    return %i[fibers threads] unless ::Process.respond_to?(:fork)

    SECONDS ? %i[fibers threads processes ractors] : %i[fibers threads processes]
  end

  def setup
    Raffia.timeout(1) { nil } # the stdlib's thread for that stays
    @random = Random.new(SEED)
    @logger = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(@log = StringIO.new)
    @answered = Hash.new(0)
    @wrong = Thread::Queue.new
    @kills = 0
  end

  def teardown
    Raffia::Actor.log = @logger
  end

  def test_the_tree_is_whole_after_a_storm
    assert_no_leaks do
      root = plant
      before = shape(Raffia::Actor.tree)
      storm(names = Raffia::Actor.names.sort)
      await_calm(names)

      assert_empty(Array.new(@wrong.size) { @wrong.pop }, hint)
      assert_equal(names, Raffia::Actor.names.sort, hint)
      assert_equal(before, shape(Raffia::Actor.tree), hint)
      assert_predicate(@answered[:value], :positive?, hint)
      assert(root.stop && root.join(PATIENCE), hint)
      assert_empty(Raffia::Actor.names, hint)
    ensure
      Raffia::Actor.shutdown
    end
  end

  private

  def hint
    "seed #{SEED}, #{@kills} kills, #{@answered}, " \
      "#{@log.string.lines.grep(/left to itself|not restarted|gives up/).join}"
  end

  def plant
    places = self.places
    root = Branch.spawn(name: :root) do |s|
      STRATEGIES.each do |strategy|
        s.child(Branch, name: strategy, strategy: (strategy == :dynamic) ? :one_for_one :
          strategy) do |branch|
          next if strategy == :dynamic

          places.each do |place|
            2.times do |number|
              branch.child(Target, name: :"#{strategy}_#{place}_#{number}", on: place)
            end
          end
        end
      end
    end
    places.each do |place|
      Raffia::Actor[:dynamic].start_child(Target, name: :"dynamic_#{place}", on: place)
    end
    root
  end

  def shape(nodes)
    nodes.map { |node| [node[:name], node[:class], node[:on], shape(node[:children])] }
  end

  def storm(names)
    over = false
    targets = names - [:root, *STRATEGIES]
    callers = Array.new(CALLERS) do |number|
      Thread.new { call(targets, Random.new(SEED + number)) until over }
    end
    finish = TestSupport.now + SECONDS if SECONDS
    while finish ? TestSupport.now < finish : @kills < KILLS
      kill(targets)
      sleep(@random.rand / 50)
    end
  ensure
    over = true
    callers.each(&:join)
  end

  # A dynamic supervisor that is restarted has no children, as OTP has it, so that one is spared.
  def kill(targets)
    branch = (STRATEGIES - [:dynamic]).sample(random: @random)
    victim = Raffia::Actor[name = targets.sample(random: @random)] or
      return @wrong << "#{name} has no actor"
    case @random.rand(10)
    when 0 then Raffia::Actor[branch].kill
    when 1..2 then victim.async.boom
    when 3 then victim.async.leave
    when 4..6 then kill_process(victim)
    else victim.kill
    end
    @kills += 1
  rescue Raffia::ActorDied
    nil
  end

  def kill_process(victim)
    return victim.kill unless victim.stats[:on] == :processes

    ::Process.kill(:KILL, victim.future.pid.value(PATIENCE))
  rescue Errno::ESRCH
    nil
  end

  # A call ends with a result, or with the news that its actor has died.
  def call(targets, random)
    victim = Raffia::Actor[name = targets.sample(random: random)] or
      return @wrong << "#{name} has no actor"
    @answered[ask(victim, random)] += 1
  rescue Raffia::ActorDied
    @answered[:died] += 1
  rescue => error
    @wrong << "#{name}: #{error.full_message(highlight: false)}"
  end

  def ask(victim, random)
    case random.rand(4)
    when 0 then victim.async.nap || :told
    when 1 then Raffia.timeout(PATIENCE) { victim.add(1) } && :value
    when 2 then victim.future.add(1).value(PATIENCE) && :value
    else Array.new(5) { victim.future.nap }.each { |future| future.value(PATIENCE) } && :value
    end
  end

  # All that was done to them has been noticed when they answer, and those above have nothing to do.
  def await_calm(names)
    limit = TestSupport.now + PATIENCE
    until names.all? { |name| answers?(name) }
      flunk("not all came back: #{hint}\n#{Raffia::Actor.tree}") if TestSupport.now > limit
      sleep(0.01)
    end
  end

  def answers?(name)
    ref = Raffia::Actor[name]
    if [:root, *STRATEGIES].include?(name)
      return ref&.count_children&.then { ref.status == :running }
    end

    ref&.future&.add(1)&.value(PATIENCE)
  rescue Raffia::ActorDied
    false
  end
end
