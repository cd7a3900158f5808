# frozen_string_literal: true

require_relative "../error"

module Raffia
  module Jobs
    class Import
      # A job of another gem that has no meaning here. It becomes dead, with its bytes.
      # @api private
      class Unreadable < Error
      end
    end
  end
end
