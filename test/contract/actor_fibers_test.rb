# frozen_string_literal: true

require_relative "actor_contract"
require_relative "actor_shared_contract"
require_relative "actor_bonds_contract"

ActorCase.run(:fibers, ActorContract, ActorSharedContract, ActorBondsContract)
