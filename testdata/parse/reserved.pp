attr private
