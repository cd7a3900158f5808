# In PostgreSQL; all else is in the SQLite database that `rails new` sets up.
class Reading < ActiveRecord::Base
  establish_connection ENV["READINGS_URL"] if ENV["READINGS_URL"]
end
