# frozen_string_literal: true

require "test_helper"
require "open3"
require "support/architecture"

# Enforces the components of docs/architecture.md over all of lib/ and ext/raffia/core/. Then it
# runs over files that break each rule, because a check that never fails checks nothing.
class ArchitectureTest < Raffia::TestCase
  ROOT = File.expand_path("..", __dir__)

  def test_lib_keeps_the_rules
    files = Dir.chdir(ROOT) { Dir["lib/**/*.rb"] }.sort
    refute_empty files
    assert_clean(files.flat_map { |path| Architecture.check(path, read(path)) })
  end

  def test_every_file_of_lib_is_in_a_component_of_the_table
    unlisted = Dir[File.join(ROOT, "lib/raffia/**/*.rb")]
      .map { |path| path.delete_prefix("#{ROOT}/") }
      .reject do |path|
        Architecture::Components::MAY_REQUIRE.key?(Architecture::Components.of(path))
      end
    assert_empty unlisted, "no component of test/support/architecture/components.rb holds these"
  end

  def test_paths_say_which_constant_a_file_defines
    assert_empty Architecture::Paths.mismatches(ROOT).map { |path, fault| "#{path} #{fault}" }
  end

  def test_caught_a_file_that_does_not_define_its_path
    {"lib/raffia/server/tls/a_b.rb" => "module Raffia; class Server; class AB; end; end; end",
     "lib/raffia/server/a.rb" => "module Raffia; class Server; end; end",
     "lib/raffia/task/a.rb" => "module Raffia; class B; end; end"}.each do |path, code|
      assert_match(/defines/, Architecture::Paths.fault(path, code))
    end
    {"lib/raffia/server/tls/a_b.rb" => "module Raffia::Server::TLS; AB = Data.define(:x); end",
     "lib/raffia/task/a.rb" => "module Raffia; class A; end; end",
     "lib/raffia/task/b.rb" => "module Raffia; def self.b = 1; end",
     "lib/raffia/pool.rb" => "module Raffia; class Pool; end; end",
     "lib/raffia/compat/gem.rb" => "module Gem; end",
     "lib/raffia/rails.rb" => "require_relative 'a'"}.each do |path, code|
      assert_nil Architecture::Paths.fault(path, code)
    end
  end

  def test_the_native_core_knows_no_ruby
    files = Dir[File.join(ROOT, "ext/raffia/core/*.{c,h}")]
    assert_clean(files.flat_map { |path|
      Architecture.check_c(path.delete_prefix("#{ROOT}/"), File.read(path))
    })
  end

  def test_a_bare_require_needs_the_standard_library_only
    skip "lib/raffia.rb is not there" unless File.exist?(File.join(ROOT, "lib/raffia.rb"))
    _, errors, status = Open3.capture3({"RUBYOPT" => nil}, RbConfig.ruby, "--disable-gems",
      "-I#{ROOT}/lib", "-e", 'require "raffia"')
    assert_predicate status, :success?, "`require \"raffia\"` without RubyGems: #{errors}"
  end

  # Constants are read from any Ractor, so all of them must be shareable. In a process of its own:
  # it loads what is there.
  def test_every_constant_is_shareable
    skip "lib/raffia.rb is not there" unless File.exist?(File.join(ROOT, "lib/raffia.rb"))
    output, errors, status = Open3.capture3({"RUBYOPT" => nil}, RbConfig.ruby, "-I#{ROOT}/lib",
      "-rraffia/server", "-rraffia/jobs", "-rraffia/jobs/worker",
      "-r#{__dir__}/support/architecture/shareable", "-e",
      "puts Architecture::Shareable.violations(Raffia)")
    assert_predicate status, :success?, errors
    assert_empty output, "these constants cannot be read from another Ractor: freeze them deeply"
  end

  # Each: where the file is, what is in it, and what the message must say.
  BROKEN = {
    "a component requires a higher one" => ["task/a.rb", 'require_relative "../scheduler"',
      /a\.rb:2: task requires scheduler/],
    "the base requires a component" => ["base/a.rb", 'require_relative "../task/scope"',
      /standard library only/],
    "peers require each other" => ["process/a.rb", 'require_relative "../task"',
      /process requires task/],
    "the engine loads what is above" => ["engine.rb", 'require_relative "scheduler/hooks"',
      /engine requires scheduler/],
    "only three components load the extension" => ["scheduler/a.rb", 'require_relative "../native"',
      /scheduler requires native/],
    "the composition root is above a component" => ["pool/a.rb", 'require_relative "../run"',
      /pool requires root/],
    "nothing requires the entrances" => ["actor/a.rb", 'require_relative "../cli"',
      /actor requires cli/],
    "a folder by interpolation" => ["task/a.rb", 'require_relative "../engine/#{name}"',
      /task requires engine/],
    "a computed name" => ["cli/a.rb", "require_relative name", /computed name/],
    "a computed name of a gem" => ["pool/a.rb", "require name", /computed name/],
    "a gem in a file that loads others" => ["base/optional.rb", 'require "redis"',
      /no part of the standard library/],
    "our own file by require" => ["lab/a.rb", 'require "raffia/task"', /require_relative/],
    "a gem" => ["pool/a.rb", 'require "concurrent"', /base\/optional\.rb/],
    "a gem that was standard once" => ["base/a.rb", 'require "ostruct"',
      /no part of the standard library/],
    "autoload" => ["task/a.rb", 'autoload :Scope, "raffia/task/scope"', /no autoload/],
    "a component that it must not know" => ["task/a.rb", "Scheduler.new", /task names Scheduler/],
    "the same by its full name" => ["process/a.rb", "::Raffia::Pool::STRATEGIES",
      /process names Pool/],
    "ENV" => ["pool/a.rb", 'ENV["RAFFIA_BACKEND"]', /ENV outside of base\/config\.rb/],
    "ENV by its full name" => ["cli/a.rb", "::ENV.fetch(name)", /ENV outside/],
    "bare Process" => ["pool/a.rb", "Process.pid", /write ::Process for Ruby's/],
    "bare Process in a constant" => ["base/a.rb", "[Process::CLOCK_MONOTONIC]", /bare Process/],
    "a thread" => ["task/a.rb", "Thread.new { work }", /Thread\.new outside/],
    "a thread of the lab" => ["lab/meter.rb", "::Thread.start { work }", /Thread\.start outside/],
    "a Ractor" => ["scheduler/a.rb", "Ractor.new { work }", /Ractor\.new outside/],
    "a fork" => ["pool/a.rb", "fork { work }", /fork outside of process/],
    "a fork by its full name" => ["lab/a.rb", "::Process.fork", /fork outside of process/],
    "a trap" => ["cli/a.rb", 'trap("INT") { stop }', /trap outside/],
    "a trap by its full name" => ["lab/a.rb", "Signal.trap(:TERM) { stop }", /trap outside/],
    "at_exit" => ["pool/a.rb", "at_exit { stop }", /at_exit outside/],
    "a class reopened" => ["base/a.rb", "class String; end",
      /String is opened at the top level.*monkey patch/],
    "a class reopened from within" => ["base/a.rb", "module Raffia; class ::Array; end; end",
      /Array is opened/],
    "a method for a core class" => ["base/a.rb", "module Raffia; def Kernel.raffia = 1; end",
      /def Kernel\.raffia changes/],
    "a singleton opened" => ["base/a.rb", "module Raffia; class << ::Process; end; end",
      /class << ::Process changes/],
    "a module prepended" => ["task/a.rb", "module Raffia; ::Thread.prepend(Hook); end",
      /prepend on ::Thread/],
    "a singleton's prepend" => ["pool/a.rb",
      "module Raffia; ::Process.singleton_class.prepend(Hook); end", /prepend on/],
    "an evaluated patch" => ["task/a.rb", "module Raffia; Fiber.class_eval { def x = 1 }; end",
      /class_eval on Fiber/],
    "a class variable" => ["task/a.rb", "module Raffia; class A; @@all = []; end; end",
      /@@all: a class variable/],
    "class-level state" => ["task/a.rb", "module Raffia; class A; @all = []; end; end",
      /@all at class level/],
    "a memo of the class" => ["task/a.rb",
      "module Raffia; class A; def self.a = @a ||= 1; end; end", /@a at class level/],
    "a memo in the singleton" => ["task/a.rb",
      "module Raffia; class A; class << self; def a = @a ||= 1; end; end; end", /@a at/],
    "a memo of module functions" => ["task/a.rb",
      "module Raffia; module A; module_function; def a = @a = 1; end; end", /@a at/],
    "a memo of extend self" => ["task/a.rb",
      "module Raffia; module A; extend self; def a = @a = 1; end; end", /@a at/],
    "a global" => ["task/a.rb", "$raffia = 1", /\$raffia is set/],
    "a hook in the engine" => ["engine/a.rb", "def io_wait(io, events, timeout) = 1",
      /the engine knows io_wait, a hook/],
    "a hook whose name is a word" => ["engine.rb", "def block(blocker, timeout = nil) = 1",
      /the engine knows block/],
    "a hook by alias" => ["engine/a.rb", "alias unblock wake", /the engine knows unblock/],
    "a hook by attribute" => ["engine/a.rb", "attr_reader :io_select",
      /the engine knows io_select/],
    "a hook that is called" => ["engine/a.rb", "scheduler.fiber_interrupt(fiber, error)",
      /the engine knows fiber_interrupt/]
  }.freeze

  BROKEN.each do |name, (path, code, message)|
    define_method(:"test_caught: #{name}") do
      offences = Architecture.check("lib/raffia/#{path}",
        "# frozen_string_literal: true\n#{code}\n")
      assert(offences.any? { |offence| offence.to_s.match?(message) && offence.line == 2 },
        "got: #{offences.join("; ")}")
    end
  end

  # Code that looks like an offence and is none.
  FINE = {
    "a lower component" => ["pool/a.rb",
      'require_relative "../task/scope"; require_relative "../process"; require_relative "future"'],
    "the extension" => ["engine/a.rb", 'require_relative "../native"'],
    "the extension itself" => ["native.rb", 'require "rbconfig"; require FILE'],
    "everything, at the root" => ["run.rb",
      'require_relative "scheduler"; require_relative "pool"; Scheduler.new'],
    "a command of the lab" => ["cli/lab.rb", 'require_relative "../lab"'],
    "the gem that the gemspec declares" => ["base/a.rb", 'require "logger"'],
    "the standard library" => ["base/a.rb",
      'require "socket"; require "io/console"; require "json"; require "monitor"'],
    "Ruby's Process" => ["task/a.rb", "module Raffia; ::Process.pid; end"],
    "our Process in the lab" => ["lab/a.rb", "module Raffia; Process::Memory.of(pid); end"],
    "our Process" => ["pool/a.rb", "module Raffia; Process::Worker.new; end"],
    "another's Scheduler" => ["task/a.rb", "Fiber::Scheduler"],
    "a component's own name" => ["scheduler/a.rb", "module Raffia; class Scheduler; end; end"],
    "ENV where it is read" => ["base/config.rb", "def self.load(env = ENV) = env"],
    "threads in their component" =>
      ["executor/threads.rb", "Thread.new { work }; Ractor.new { work }"],
    "forks in theirs" => ["process/a.rb", "::Process.fork { work }"],
    "signals in theirs" => ["base/signals.rb", "::Signal.trap(:INT) { stop }; at_exit { stop }"],
    "Ruby's own fork hook" => ["base/fork.rb",
      "module Raffia; ::Process.singleton_class.prepend(Hook); end"],
    "state of an object" => ["task/a.rb",
      "module Raffia; class A; def initialize = @a = 1; end; end"],
    "state of an object after a class method" => ["task/a.rb",
      "module Raffia; class A; def self.x = 1; def y = @a = 1; end; end"],
    "a frozen registry" => ["task/a.rb", "module Raffia; class A; @all = [1].freeze; end; end"],
    "hooks in the scheduler" => ["scheduler/a.rb",
      "def io_wait(io, events, timeout) = 1; def block(blocker) = 1"],
    "words in the engine" => ["engine/a.rb",
      "def each(&block) = yield(block); def try_read(io, fiber) = IO.select([io])"],
    "an object of a nested class" => ["task/a.rb",
      "module Raffia; module A; module_function; class B; def a = @a = 1; end; end; end"]
  }.freeze

  FINE.each do |name, (path, code)|
    define_method(:"test_allowed: #{name}") do
      assert_clean(Architecture.check("lib/raffia/#{path}",
        "# frozen_string_literal: true\n#{code}\n"))
    end
  end

  def test_caught_a_file_without_the_magic_comment
    offence = Architecture.check("lib/raffia/task/a.rb", "module Raffia; end\n").first
    assert_match(/a\.rb:1: the first line is not/, offence.to_s)
  end

  def test_caught_ruby_in_the_core
    offence = Architecture.check_c("ext/raffia/core/a.c",
      "#include <stdint.h>\n  #  include <ruby/io.h>\n").first
    assert_match(%r{core/a\.c:2: core/ includes <ruby/io\.h>}, offence.to_s)
    assert_empty Architecture.check_c("ext/raffia/bind/a.c", "#include <ruby.h>\n")
  end

  def test_caught_a_constant_that_is_not_shareable
    require "support/architecture/shareable"
    nested = Module.new { const_set(:DEEP, [+"text"].freeze) }
    holder = Module.new do
      const_set(:FINE, {a: ["b"].freeze}.freeze)
      const_set(:LOCK, Mutex.new)
      const_set(:Inner, nested)
    end
    found = Architecture::Shareable.violations(holder)
    assert_equal(2, found.size, found.inspect)
    assert_match(/LOCK is a Thread::Mutex/, found.join("\n"))
    assert_match(/DEEP is an? Array/, found.join("\n"))
  end

  private

  def read(path) = File.read(File.join(ROOT, path))

  def assert_clean(offences) = assert_empty(offences, "\n#{offences.join("\n")}\n")
end
