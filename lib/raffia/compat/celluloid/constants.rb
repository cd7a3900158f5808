# frozen_string_literal: true

module Celluloid
  RAFFIA = true
  VERSION = "0.18.0"
  # Seconds; kept for code that names it.
  LINKING_TIMEOUT = 5
  # Variable in which an actor's object has its {Cell}.
  OWNER_IVAR = :@celluloid_owner
  BARE_OBJECT_WARNING_MESSAGE = "WARNING: BARE CELLULOID OBJECT "
end
