# frozen_string_literal: true

module Raffia
  module Jobs
    # A job whose worker died, see {Store::Recovery}.
    RecoveredJob = Data.define(:jid, :queue, :crashes, :dead)
  end
end
