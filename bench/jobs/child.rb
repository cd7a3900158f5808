# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/jobs/child.rb TARGET WORKLOAD SCALE

require_relative "plan"
require_relative "sampler"
require_relative "targets"

target, workload, scale = ARGV
JobsBench::Sampler.run(JobsBench::Targets::ALL.fetch(target).open.call,
  JobsBench::Plans::ALL.fetch(workload), Float(scale))
