# frozen_string_literal: true

require "logger"
require_relative "redis_case"
require_relative "mapping_contract"

# `on: :jobs` over a Redis.
class JobsRedisMappingTest < Raffia::TestCase
  include JobsRedisCase
  include Raffia::JobsMappingContract

  attr_reader :store

  def setup
    super
    @store = open_store
    @worker = Raffia::Jobs::Worker.new(@store, log: Logger.new(nil)).start
  end

  def teardown
    @worker&.stop
    @store&.close
    super
  end
end
