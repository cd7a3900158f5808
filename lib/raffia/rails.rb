# frozen_string_literal: true

require_relative "base/optional"

Raffia::Optional.gem("railties", ">= 7.1", for: "raffia/rails", feature: "rails")

require_relative "integrations/rails"
