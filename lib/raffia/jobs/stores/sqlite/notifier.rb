# frozen_string_literal: true

require_relative "../sql/socket_notifier"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The folder of the sockets is beside the database.
        class Notifier < SQL::SocketNotifier
          private

          def folder = @address.sockets

          def make_folder = DatabaseFile.make_folder(@folder, @address.path)

          def mode = DatabaseFile.mode(@address.path)
        end
      end
    end
  end
end
