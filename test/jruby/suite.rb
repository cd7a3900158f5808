# frozen_string_literal: true

# The tests of Raffia's promises on JRuby, in one process because each takes seconds to start.
# bin/test runs it when JRuby is there, and `RAFFIA_RUBY=jruby bin/test` runs nothing else.
require "test_helper"
require "json"
require "open3"
require "tmpdir"
require "raffia"

%w[unit/base/* unit/pool/feed_test unit/lab/mail_test unit/lab/statistics_test
  contract/pool/inline_test contract/pool/threads_test
  contract/actor/threads_test contract/actor/worker_threads_test contract/actor/supervisor_test
  contract/actor/supervisor_children_test].each do |pattern|
  Dir[File.expand_path("../#{pattern}.rb", __dir__)].sort.each { |file| require file }
end

require_relative "../contract/pool/persistent_contract"
# The classes of the strategies that there are here.
%w[Inline Threads].each do |name|
  Object.const_set("PoolPersistent#{name}OnJRubyTest", Class.new(Raffia::TestCase) do
    include PoolPersistentContract
    include PoolPersistentBlocks

    define_method(:strategy) { name.downcase.to_sym }
  end)
end

require_relative "../contract/actor/pool_contract"
require_relative "../contract/actor/topics_contract"
{Pool: ActorPoolContract, Topics: ActorTopicsContract}.each do |name, contract|
  Object.const_set("Actor#{name}OnJRubyTest", Class.new(Raffia::TestCase) do
    include contract

    define_method(:place) { :threads }
  end)
end

class JRubyTest < Raffia::TestCase
  ROOT = File.expand_path("../..", __dir__)

  def test_what_there_is_not_is_refused_with_what_to_use_instead
    {fibers: /Fiber scheduler.*jruby/, processes: /needs fork/,
     ractors: /needs Ractors/}.each do |on, message|
      [-> { Raffia.map([1], on: on) { |n| n } },
        -> { Raffia::Pool.new(on: on) { |n| n } }].each do |call|
        error = assert_raises(Raffia::ConfigError) { call.call }
        assert_match(message, error.message)
        assert_match(/use on: :threads/, error.message)
      end
    end
    assert_match(/Fiber scheduler/, assert_raises(Raffia::ConfigError) { Raffia.run { nil } }
      .message)
  end

  def test_actors_work_in_threads_and_say_so_where_they_cannot
    actor = Class.new(Raffia::Actor) { def echo(value) = value }
    assert_equal(:threads, actor.spawn.stats[:on])
    {fibers: /Fiber scheduler.*jruby.*use on: :threads/, processes: /need fork.*use on: :threads/,
     ractors: /need Ractors.*use on: :threads/}.each do |on, message|
      assert_match(message, assert_raises(Raffia::ConfigError) { actor.spawn(on: on) }.message)
    end
    [-> { Raffia::Actor.listen("unix:///tmp/actors.sock") },
      -> { Raffia::Actor.at("unix:///tmp/actors.sock", :one) }].each do |call|
      assert_match(/Unix sockets.*not on jruby/,
        assert_raises(Raffia::ConfigError) { call.call }.message)
    end
  ensure
    Raffia::Actor.shutdown
  end

  def test_actors_can_be_looked_at
    actor = Class.new(Raffia::Actor) { def echo(value) = value }
    actor.spawn(name: :seen)
    socket = Raffia::Actor::IntrospectionSocket.new(File.join(Dir.mktmpdir, "socket.sock"))
    view = JSON.parse(UNIXSocket.open(socket.path, &:read))

    assert_equal(["seen"], view["tree"].map { |one| one["name"] })
  ensure
    socket&.close
    Raffia::Actor.shutdown
  end

  # With a lock as CRuby's the kernel never finds more than one of them ready to run.
  def test_threads_run_ruby_code_at_once
    skip "there is no /proc here" unless File.directory?("/proc/self/task")

    most = rounds = 0
    Raffia.each([0, 1, 2], on: :threads, workers: 3, chunk: 1) do |who|
      if who.zero?
        most = [most, ready_threads].max until most >= 3 || (rounds += 1) > 5_000
        rounds = 5_001
      end
      nil until rounds > 5_000
    end
    assert_operator(most, :>=, 3) # there may be some from before
  end

  # @return [Integer] how many of Ruby's threads run, or wait for nothing but a processor
  def ready_threads
    Dir["/proc/self/task/*/stat"].count do |path|
      File.read(path).match?(/\(Ruby-0-Thread.*\) R /)
    rescue SystemCallError
      false # it has ended
    end
  end

  def test_the_lab_runs_and_its_results_are_right
    Dir.mktmpdir do |dir|
      json = File.join(dir, "lab.json")
      command = [RbConfig.ruby, "-I#{File.join(ROOT, "lib")}", File.join(ROOT, "exe/raffia"), "lab",
        "run", "mailer", "zlib", "squares",
        "--on", "threads", "--runs", "1", "--scale", "0.02", "--json=#{json}"]
      output, status = Open3.capture2e(*command)
      assert_predicate(status, :success?, output)
      assert_equal(7, output.scan(/^right: /).size, output)
      assert_match(/jruby/, JSON.parse(File.read(json)).dig("environment", "ruby"))
    end
  end
end
