# frozen_string_literal: true

require_relative "compat/layers"

# Answers a program's own `require "celluloid"` and the like: see {Raffia::Compat}.
Raffia::Compat.answer(*Raffia::Compat::Config.load.layers)
