# frozen_string_literal: true

# What programs for Celluloid 0.17 require. The first actor boots the system.
require_relative "../celluloid"
