# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  class Server
    # An address cannot be had: it is in use, not ours, or not allowed.
    class CannotListen < Error
    end
  end
end
