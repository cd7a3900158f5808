# frozen_string_literal: true

# Its number is that of its row.
class GenevaDriveFlow < GenevaDrive::Workflow
  may_proceed_without_hero!

  JobsBench::Systems::System::STEPS.times do |number|
    step(:"step#{number}") do
      JobsBench::Work.call((id - 1) * JobsBench::Systems::System::STEPS + number)
    end
  end
end
