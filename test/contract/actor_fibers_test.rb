# frozen_string_literal: true

require_relative "actor_contract"

ActorCase.run(:fibers, ActorContract)
