# frozen_string_literal: true

require_relative "../../contract/actor/pool_contract"
require_relative "../../contract/actor/topics_contract"

# Pools, and subscribers, whose objects live in Ractors.
class ActorPoolRactorsTest < Raffia::TestCase
  include ActorPoolContract

  def setup = need_ractors

  def place = :ractors
end

class ActorTopicsRactorsTest < Raffia::TestCase
  include ActorTopicsContract

  def setup = need_ractors

  def place = :ractors
end
