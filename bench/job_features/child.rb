# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/job_features/child.rb TARGET WORKLOAD SCALE

require_relative "plans"
require_relative "sampler"
require_relative "targets"

target, workload, scale = ARGV
JobFeaturesBench::Sampler.run(JobFeaturesBench::Targets::ALL.fetch(target).open.call,
  JobFeaturesBench::Plans::ALL.fetch(workload), Float(scale))
