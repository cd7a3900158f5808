# frozen_string_literal: true

require "support/jobs_case"

# Parent of tests of durable functions, whose workers run in this process.
class JobsDurableCase < TestSupport::JobsCase
  Durable = Raffia::Durable
  # Where functions put their effects.
  EFFECTS = Thread::Queue.new

  def setup
    super
    EFFECTS.clear
  end

  # Defines a durable function of a name, in place of one before.
  def function(name = :Function, **options, &body)
    Object.send(:remove_const, name) if Object.const_defined?(name)
    Object.const_set(name, Class.new { include Raffia::Durable }).tap do |made|
      made.options(**options) unless options.empty?
      made.define_method(:call, &body)
    end
  end

  def teardown
    %i[Function Child].each do |name|
      Object.send(:remove_const, name) if Object.const_defined?(name)
    end
    super
  end

  def result(id) = Durable.result(id, timeout: PATIENCE)

  def await_status(id, status) = wait_until { Durable.status(id) == status }

  def effects = Array.new(EFFECTS.size) { EFFECTS.pop }

  # The only job of a set becomes due.
  def hurry(set = :scheduled) = wait_until { @store.requeue(@store.entries(set)) == 1 }

  # @return [Array<String>] kinds and names of steps
  def steps(id) = @store.flow_steps(id).map { |step| "#{step.kind} #{step.name}" }
end
