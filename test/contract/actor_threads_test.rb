# frozen_string_literal: true

require_relative "actor_contract"
require_relative "actor_shared_contract"
require_relative "actor_bonds_contract"
require_relative "actor_cycles_contract"

ActorCase.run(:threads, ActorContract, ActorSharedContract, ActorBondsContract, ActorCyclesContract)
