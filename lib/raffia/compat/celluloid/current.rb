# frozen_string_literal: true

# Programs for Celluloid 0.17 require this. The first actor boots the system.
require_relative "../celluloid"
