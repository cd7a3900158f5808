# frozen_string_literal: true

require_relative "layers"

# Aliases Kernel#require, as RubyGems does. A prepended module and others' aliases would call each
# other for ever.
module Kernel
  alias_method :raffia_compat_original_require, :require
  private :raffia_compat_original_require

  # @api private
  def require(feature)
    layer = ::Raffia::Compat.answering(feature)
    layer ? layer.load(feature) : raffia_compat_original_require(feature)
  end
  private :require

  class << self
    alias_method :raffia_compat_original_require, :require
    private :raffia_compat_original_require

    # Bundler.require calls it.
    # @api private
    def require(feature)
      layer = ::Raffia::Compat.answering(feature)
      layer ? layer.load(feature) : raffia_compat_original_require(feature)
    end
  end
end
