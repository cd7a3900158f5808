# frozen_string_literal: true

# Records each of its steps.
class AcidicJobJob < AcidicJob::Base
  def perform(first)
    @first = first
    with_acidic_workflow do |workflow|
      JobsBench::Systems::System::STEPS.times { |number| workflow.step :"step#{number}" }
    end
  end

  JobsBench::Systems::System::STEPS.times do |number|
    define_method(:"step#{number}") { JobsBench::Work.call(@first + number) }
  end
end
