# frozen_string_literal: true

require_relative "topics_contract"

class ActorTopicsFibersTest < Raffia::TestCase
  include ActorTopicsContract

  def place = :fibers
end

class ActorTopicsThreadsTest < Raffia::TestCase
  include ActorTopicsContract

  def place = :threads
end

class ActorTopicsProcessesTest < Raffia::TestCase
  include ActorTopicsContract

  def setup = need_fork

  def place = :processes
end
