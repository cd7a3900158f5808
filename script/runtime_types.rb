# frozen_string_literal: true

require "minitest"
require "rbs"
require "rbs/test"

# Runs tests, and compares each call of a public method with its signature in sig/: arguments,
# block and result. A call that raises may have had wrong arguments, which is what some tests are
# for. Used by `rake types:test`.
#
#     ruby -Ilib -Itest script/runtime_types.rb FILE...
class RuntimeTypes
  LIBRARIES = %w[logger socket json time].freeze
  # Elements of a collection that are looked at.
  SAMPLE = 20
  # A look at their elements would take them out.
  UNCHECKED = %w[Raffia::Channel Enumerator Delegator].freeze

  # Collects errors, where RBS raises one in the middle of the code that it checks.
  class Tester < RBS::Test::Tester::MethodCallTester
    attr_accessor :found

    def call(receiver, trace)
      return if trace.method_call.exception?

      super
    rescue RBS::Test::Tester::TypeError => error
      error.errors.each { |one| found[RBS::Test::Errors.to_string(one)] = true }
    end
  end

  def initialize
    RBS.logger_level = "fatal" # it tells of overloads that it cannot choose between
    loader = RBS::EnvironmentLoader.new
    LIBRARIES.each { |library| loader.add(library: library, version: nil) }
    loader.add(path: Pathname("sig"))
    @environment = RBS::Environment.from_loader(loader).resolve_type_names
    @found = {}
    @hooked = 0
    @builder = RBS::DefinitionBuilder.new(env: @environment)
  end

  # Hooks each class of the signatures when its `end` is reached.
  def watch
    name = Module.instance_method(:name)
    TracePoint.trace(:end) do |point|
      known = name.bind_call(point.self)
      next unless known&.start_with?("Raffia") && !known.start_with?("Raffia::Compat")

      type = RBS::TypeName.parse("::#{known}")
      hook(point.self, type) if @environment.module_name?(type)
    end
  end

  # @return [Boolean] whether all calls were as the signatures say
  def report
    @found.each_key { |message| warn "types:test: #{message}" }
    puts "types:test: #{@hooked} methods were watched, #{@found.size} differ from sig/"
    @found.empty? && @hooked.positive?
  end

  private

  def hook(owner, type)
    methods = owner.instance_methods(false) + owner.private_instance_methods(false)
    install(owner, @builder.build_instance(type), type, :instance, methods)
    install(owner, @builder.build_singleton(type), type, :singleton, owner.methods(false))
  end

  def install(owner, definition, type, kind, defined)
    @keys ||= {}
    key = "#{kind}__#{type}"
    RBS::Test::Observer.register(key, tester(owner, definition, kind)) unless @keys[key]
    done = @keys[key] ||= {}
    definition.methods.each do |name, method|
      next if done[name] || !defined.include?(name) || method.implemented_in != type

      done[name] = true
      @hooked += 1
      RBS::Test::Hook.public_send(:"hook_#{kind}_method", owner, name, key: key)
    end
  end

  def tester(owner, definition, kind)
    self_class = (kind == :singleton) ? owner.singleton_class : owner
    Tester.new(self_class, @builder, definition, kind: kind, sample_size: SAMPLE,
      unchecked_classes: UNCHECKED)
      .tap { |tester| tester.found = @found }
  end
end

types = RuntimeTypes.new
types.watch
require "test_helper"
ARGV.each { |file| require File.expand_path(file) }
ARGV.clear
Minitest.after_run { exit false unless types.report }
